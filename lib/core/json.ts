/** What a text in JSON says, of any shape; undefined for one that is none, or that is not there. */
export function jsonIn(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
