/** A place in a text as editors count: line and column, both from 1. */
export type Place = { readonly line: number; readonly column: number };

/**
 * Returns a function that gives the place for a number of characters from the start of this text; it counts the lines
 * once.
 */
export function placesIn(text: string): (at: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (at) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - starts[low]! + 1 };
  };
}
