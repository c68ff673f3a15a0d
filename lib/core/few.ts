/** The first few of many names, and how many more there are: `node1, node2 and 4 more`. */
export const few = (names: readonly string[], max: number): string =>
  names.length > max ? `${names.slice(0, max).join(', ')} and ${names.length - max} more` : names.join(', ');
