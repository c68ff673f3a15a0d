import { type Part, readGlob } from '../language/glob.ts';

/**
 * A glob as an automaton whose states are bits of one number (Baeza-Yates and Gonnet, 1992): bit `n` is set where the
 * first `n` characters of the pattern have been matched. A step is four operations, and no pattern makes a text cost
 * more than its length. It reads ASCII alone; other texts, and patterns that `isExact` denies, are matched again as
 * texts: for these it only says which cannot match.
 */
export type Automaton = {
  /** For each character of ASCII the states that it leads on from. */
  readonly takes: Int32Array;
  /** The states that some character beyond ASCII may lead on from. */
  readonly takesBeyond: number;
  /** The states with a star, which any character leaves as they are. */
  readonly loops: number;
  readonly accepts: number;
  readonly isExact: boolean;
};

/** So many characters of a pattern have a bit, besides the beginning. */
const charactersMax = 31;
/** The state before the first character. */
export const begin = 1;
const asciiEnd = 0x80;

/** The automaton of a glob; of a long one, that of its beginning. */
export function automatonOf(glob: string): Automaton {
  const takes = new Int32Array(asciiEnd);
  let [characters, loops, takesBeyond, isExact] = [0, 0, 0, true];
  for (const test of testsOf(readGlob(glob))) {
    if (test === 'many') loops |= 1 << characters;
    else if (characters === charactersMax) {
      isExact = false;
      loops |= 1 << characters;
      break;
    } else {
      for (let code = 0; code < asciiEnd; code++) if (test.takes(code)) takes[code] = (takes[code] ?? 0) | (1 << characters);
      if (test.takesBeyond) takesBeyond |= 1 << characters;
      characters += 1;
    }
  }
  return { takes, takesBeyond, loops, accepts: 1 << characters, isExact };
}

/** One character: whether it may be this one of ASCII, and whether it may be one beyond. */
type CharacterTest = { readonly takes: (code: number) => boolean; readonly takesBeyond: boolean };
type Step = 'many' | CharacterTest;

const testsOf = (parts: readonly Part[]): readonly Step[] => parts.flatMap(stepsOf);

function stepsOf(part: Part): readonly Step[] {
  switch (part.is) {
    case 'text':
      return Array.from({ length: part.text.length }, (_, at) => part.text.charCodeAt(at)).map((char) => ({
        takes: (code) => code === char,
        takesBeyond: char >= asciiEnd,
      }));
    case 'one':
      return [{ takes: () => true, takesBeyond: true }];
    case 'many':
      return ['many'];
    case 'class':
      return [{ takes: (code) => isIn(part, String.fromCharCode(code)), takesBeyond: reachesBeyond(part) }];
  }
}

const isIn = ({ isNegated, ranges }: Extract<Part, { is: 'class' }>, char: string): boolean =>
  isNegated !== ranges.some(({ from, to }) => from <= char && char <= to);

const reachesBeyond = ({ isNegated, ranges }: Extract<Part, { is: 'class' }>): boolean =>
  isNegated || ranges.some(({ to }) => to.charCodeAt(0) >= asciiEnd);

/** The states after a part of ASCII, which begins in some states; undefined where it is not ASCII. */
export function run({ takes, loops }: Automaton, states: number, bytes: Uint8Array, from: number, to: number): number | undefined {
  let now = states;
  for (let at = from; at < to && now !== 0; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= asciiEnd) return undefined;
    now = ((now & (takes[byte] ?? 0)) << 1) | (now & loops);
  }
  return now;
}

/** The states from which a part of ASCII leads to the end of the pattern; undefined where it is not ASCII. */
export function runBack({ takes, loops, accepts }: Automaton, bytes: Uint8Array, from: number, to: number): number | undefined {
  let now = accepts;
  for (let at = to - 1; at >= from; at--) {
    const byte = bytes[at] ?? 0;
    if (byte >= asciiEnd) return undefined;
    now = ((now >>> 1) & (takes[byte] ?? 0)) | (now & loops);
  }
  return now;
}

/** The states that a text, of any characters but one of ASCII, can reach from the beginning. */
export function reachableWithout({ takes, takesBeyond, accepts }: Automaton, excluded: number): number {
  let any = takesBeyond;
  for (let code = 0; code < asciiEnd; code++) if (code !== excluded) any |= takes[code] ?? 0;
  let reached = begin;
  for (let state = begin; state !== accepts && (any & state) !== 0; state <<= 1) reached |= state << 1;
  return reached;
}
