/**
 * What is wrong with a text before anything in it can be looked at: what, and how many characters stand before the
 * place.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The text is more than plain YAML from this place on; it may be right all the same. */
export class NotPlain extends Fault {}

/** How deep lists and mappings may lie in each other; a facts file needs 12. */
export const depthMax = 64;

/** Complains about what lies too deep. */
export const tooDeep = (at: number): Fault => new Fault(at, `lists and mappings lie in each other deeper than ${depthMax}`);

/** Complains about a key that stands twice in one mapping. */
export const twice = (at: number, key: string): Fault => new Fault(at, `the key ${key} stands twice in one mapping`);

/** Complains about the one name that would change what an object is. */
export const noKey = (at: number): Fault => new Fault(at, '__proto__ is no key');
