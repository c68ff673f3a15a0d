import * as z from 'zod';
import { Fingerprint } from '../../../../lib/core/ids.ts';
import { type EpochMs, secondMs } from '../../../../lib/core/time.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';

const memoryFile = 'uyuni-metadata.json';
/** How often the memory is written at most: that of 15,000 systems has 4 MB. */
export const writeEveryMs = 10 * secondMs;

/**
 * What a system and Muster last agreed on: the digest of each document that was applied or reported, by kind, for one
 * registration of the system.
 */
const Agreed = z.strictObject({ registration: z.string(), digests: z.record(z.string(), z.string()) });
export type Agreed = z.infer<typeof Agreed>;
const File = z.strictObject({ version: z.literal(1), systems: z.record(Fingerprint, Agreed) });

/**
 * What the systems of a server and Muster last agreed on. It may be lost, all or the last of it: documents are then
 * compared with those in Muster.
 */
export class AgreedMemory {
  readonly #folder: Folder;
  readonly #systems: Map<string, Agreed>;
  #isWritten = true;
  #writtenAt = 0 as EpochMs;

  constructor(folder: Folder) {
    this.#folder = folder;
    this.#systems = new Map(Object.entries(read(folder)));
  }

  of(fp: Fingerprint): Agreed | undefined {
    return this.#systems.get(fp);
  }

  /** A document of a kind is the same here and in Muster. Another registration of the system begins with nothing. */
  agree(fp: Fingerprint, registration: string, kind: string, digest: string): void {
    const known = this.#systems.get(fp);
    const digests = known?.registration === registration ? known.digests : {};
    if (digests[kind] === digest) return;
    this.#systems.set(fp, { registration, digests: { ...digests, [kind]: digest } });
    this.#isWritten = false;
  }

  /** Takes every system for another registration than the one that was agreed on, at once and for good. */
  doubt(): void {
    for (const [fp, { digests }] of this.#systems) this.#systems.set(fp, { registration: '', digests });
    this.#isWritten = false;
    this.write(() => true, this.#writtenAt, true);
  }

  /** Writes what is new, but for systems that are not here; not more than once in ten seconds unless it is the end. */
  write(isHere: (fp: string) => boolean, now: EpochMs, isEnd = false): void {
    if (this.#isWritten || (!isEnd && now - this.#writtenAt < writeEveryMs)) return;
    for (const fp of this.#systems.keys()) if (!isHere(fp)) this.#systems.delete(fp);
    this.#folder.write(memoryFile, `${JSON.stringify({ version: 1, systems: Object.fromEntries(this.#systems) })}\n`);
    this.#isWritten = true;
    this.#writtenAt = now;
  }
}

function read(folder: Folder): Readonly<Record<string, Agreed>> {
  const text = folder.read(memoryFile);
  if (text === undefined) return {};
  try {
    const file = File.safeParse(JSON.parse(text));
    return file.success ? file.data.systems : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
