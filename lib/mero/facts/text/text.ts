import type { Path } from '../../../core/defect.ts';
import { Fault, NotPlain } from './fault.ts';
import type { Mark } from './flow.ts';
import { readGeneral } from './general.ts';
import { type Place, placesIn } from './place.ts';
import { readPlain } from './plain.ts';

export type { Place } from './place.ts';

/** The content of a text, and the place of each thing in it. */
export type Held = {
  readonly value: unknown;
  /**
   * The place of the thing that a path leads to, or of the last thing on the path that exists. The first call reads the
   * text again.
   */
  readonly placeOf: (path: Path) => Place;
};

/** The content of a text, or why it cannot be read, and where. */
export type Read = ({ readonly ok: true } & Held) | { readonly ok: false; readonly says: string; readonly place: Place };

/**
 * How long a text may be that uses all of YAML, in characters: anchors, tags, blocks of text, words over several lines.
 * Plain YAML and JSON are read twenty times as fast and may be as long as {@link charsMax}. This much takes half a
 * second, in whatever form.
 */
export const generalCharsMax = 262_144;
/** How long a file may be, in characters: twice what 1,000 servers with 100,000 devices take. */
export const charsMax = 67_108_864;

/** Reads YAML 1.2 or JSON. Never throws because of the content of the text. */
export async function readText(given: string): Promise<Read> {
  const text = given.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  if (text.length > charsMax) return refused(text, new Fault(0, `a file is at most ${charsMax / 1_048_576} million characters long`));
  try {
    return { ok: true, value: readPlain(text), placeOf: marked(text, (mark) => readPlain(text, mark)) };
  } catch (error) {
    if (!(error instanceof NotPlain)) return refused(text, error);
    return generally(text, error);
  }
}

/** The same for a text that is more than plain, or wrong. */
async function generally(text: string, { at, message }: NotPlain): Promise<Read> {
  if (text.length > generalCharsMax)
    return refused(
      text,
      new Fault(
        at,
        `${message}; a file of more than 256 KiB must be JSON or plain YAML, without anchors, tags and values over several lines`,
      ),
    );
  const marks: Marks = new Map();
  try {
    const value = await readGeneral(text, into(marks));
    return { ok: true, value, placeOf: (path) => placeIn(text, value, marks, path) };
  } catch (error) {
    return refused(text, error);
  }
}

function refused(text: string, error: unknown): Read {
  if (!(error instanceof Fault)) throw error;
  return { ok: false, says: error.message, place: placesIn(text)(error.at) };
}

type Marks = Map<object, Map<string | number, number>>;

const into =
  (marks: Marks): Mark =>
  (container, key, at) => {
    const own = marks.get(container);
    if (own) own.set(key, at);
    else marks.set(container, new Map([[key, at]]));
  };

/** Places of a plain text: it is read once more for them, because hardly any file has a defect. */
function marked(text: string, read: (mark: Mark) => unknown): Held['placeOf'] {
  let again: { value: unknown; marks: Marks; placeAt: (at: number) => Place } | undefined;
  return (path) => {
    if (!again) {
      const marks: Marks = new Map();
      again = { value: read(into(marks)), marks, placeAt: placesIn(text) };
    }
    return again.placeAt(startOf(again.value, again.marks, path));
  };
}

const placeIn = (text: string, value: unknown, marks: Marks, path: Path): Place => placesIn(text)(startOf(value, marks, path));

/** The start of the last thing on the path that exists. */
function startOf(root: unknown, marks: Marks, path: Path): number {
  let value = root;
  let start = 0;
  for (const key of path) {
    const at = typeof value === 'object' && value !== null ? marks.get(value)?.get(key as string | number) : undefined;
    if (at === undefined) return start;
    start = at;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return start;
}
