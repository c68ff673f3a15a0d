/**
 * A function of one thing that is asked about the same thing many times in a row: every invariant looks at a commit or
 * call before the next one comes, and what follows from it alone is found once.
 */
export function onceEach<O extends object, T>(of: (one: O) => T): (one: O) => T {
  let last: O | undefined;
  let found: T;
  return (one) => {
    if (one !== last) {
      found = of(one);
      last = one;
    }
    return found;
  };
}
