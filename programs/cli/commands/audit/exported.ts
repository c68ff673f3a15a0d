import * as z from 'zod';
import type { AuditFault, AuditView } from '../../../../lib/audit/routes.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { dayOf } from './entries.ts';

const Place = z.object({ zone: z.string(), day: z.iso.date(), n: z.int().positive(), hash: z.string() });
const HeadLine = z.object({ head: Place });
/** The last line of a chain in an export. */
export type HeadLine = z.infer<typeof HeadLine>;
const EntryLine = z.object({ zone: z.string(), at: z.iso.datetime(), n: z.int().positive(), hash: z.string() });
type Place = z.infer<typeof Place>;

/**
 * The hashes of an export by place. Throws a {@link Failure} that names the first line that is not from an export.
 */
export class Exported {
  readonly #places = new Map<string, Place>();
  readonly faults: AuditFault[] = [];
  #compared = 0;

  constructor(text: string, path: string) {
    for (const [at, line] of text.split('\n').entries()) if (line.trim() !== '') this.#take(line, `line ${at + 1} of ${path}`);
    if (this.#places.size === 0) throw new Failure(exitCodes.usage, `${path} is empty`, 'Give a file that `audit export` wrote');
  }

  #take(line: string, where: string): void {
    const place = placeIn(line);
    if (!place) throw new Failure(exitCodes.usage, `${where} is not from an export of the audit`, 'Give a file that `audit export` wrote');
    const known = this.#places.get(nameOf(place));
    if (known && known.hash !== place.hash)
      throw new Failure(exitCodes.failed, `${where} contradicts another line: the file was changed after the export`);
    this.#places.set(nameOf(place), place);
  }

  /** The days that it is about. */
  get days(): { from: string; to: string } {
    const days = [...this.#places.values()].map(({ day }) => day).sort();
    return { from: days[0]!, to: days.at(-1)! };
  }

  /** How many places of the export were compared, or should have been there. */
  get compared(): number {
    return this.#compared;
  }

  /** Compares an entry of the audit with the export's entry at its place. */
  compare(entry: AuditView): void {
    const at = { zone: entry.zone, day: dayOf(entry), n: entry.n };
    const place = this.#places.get(nameOf(at));
    if (!place) return;
    this.#places.delete(nameOf(at));
    this.#compared += 1;
    if (place.hash !== entry.hash) this.faults.push({ ...at, what: 'differs from the exported entry' });
  }

  /** Notes the exported entries that are missing, apart from those past their retention. */
  end(keptSince: string): void {
    for (const { zone, day, n } of this.#places.values()) {
      if (day < keptSince) continue;
      this.#compared += 1;
      this.faults.push({ zone, day, n, what: 'was exported, and is missing' });
    }
  }
}

const nameOf = ({ zone, day, n }: Pick<Place, 'zone' | 'day' | 'n'>): string => `${day} ${zone} ${n}`;

function placeIn(line: string): Place | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const head = HeadLine.safeParse(value);
  if (head.success) return head.data.head;
  const { data } = EntryLine.safeParse(value);
  return data && { zone: data.zone, day: dayOf(data), n: data.n, hash: data.hash };
}
