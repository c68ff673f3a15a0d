/** An error that ends the reading of a text: what is wrong, and how many characters come before the place. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The text is more than plain YAML from this place on; it may be valid all the same. */
export class NotPlain extends Fault {}

/** How deep lists and mappings may be nested; a facts file needs 12. */
export const depthMax = 64;

/** The fault of a thing that is nested too deep. */
export const tooDeep = (at: number): Fault => new Fault(at, `lists and mappings are nested deeper than ${depthMax}`);

/** The fault of a key that occurs twice in one mapping. */
export const twice = (at: number, key: string): Fault => new Fault(at, `the key ${key} occurs twice in one mapping`);

/** The fault of the one name that would change what an object is. */
export const noKey = (at: number): Fault => new Fault(at, '__proto__ is not allowed as a key');
