import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Fingerprint } from '../../../../lib/core/ids.ts';
import { type Folder, folderAt } from '../../../../lib/machine/folder.ts';

/**
 * What a system and Muster last agreed on: the digest of each document that was applied or reported, by kind, for one
 * registration of the system.
 */
const Agreed = z.strictObject({
  registration: z.string(),
  digests: z.record(z.string(), z.string()),
  /** How often the server had been restored by then. */
  restores: z.int().nonnegative(),
});
export type Agreed = Pick<z.infer<typeof Agreed>, 'registration' | 'digests'>;

const restoresFile = 'restores';

/**
 * What the systems of a server and Muster last agreed on, in a file for each, since one changes at a time. All of it
 * may be lost: documents are then compared with those in Muster.
 */
export class AgreedMemory {
  readonly #folder: Folder;
  #restores: number;

  /** `home` is the folder of the agent. */
  constructor(home: Folder) {
    this.#folder = folderAt(join(home.path, 'uyuni-metadata'));
    this.#restores = Number(this.#folder.read(restoresFile) ?? 0) || 0;
  }

  /** What was agreed on, which after a restore is of no registration that a system has now. */
  of(fp: Fingerprint): Agreed | undefined {
    const text = this.#folder.read(fp);
    const agreed = text === undefined ? undefined : agreedIn(text);
    return agreed && agreed.restores !== this.#restores ? { ...agreed, registration: '' } : agreed;
  }

  /** Documents are the same here and in Muster. Another registration of the system begins with nothing. */
  agree(fp: Fingerprint, registration: string, documents: Readonly<Record<string, string>>): void {
    const known = this.of(fp);
    const before = known?.registration === registration ? known.digests : {};
    if (Object.entries(documents).every(([kind, digest]) => before[kind] === digest)) return;
    const agreed: z.infer<typeof Agreed> = { registration, digests: { ...before, ...documents }, restores: this.#restores };
    this.#folder.write(fp, `${JSON.stringify(agreed)}\n`);
  }

  /** Nothing that was agreed on holds any more: the server is in another state than it was. */
  doubt(): void {
    this.#restores += 1;
    this.#folder.write(restoresFile, `${this.#restores}\n`);
  }

  /** Forgets the systems that are not here. */
  forget(isHere: (fp: string) => boolean): void {
    const { path } = this.#folder;
    if (!existsSync(path)) return;
    for (const name of readdirSync(path)) if (name !== restoresFile && !isHere(name)) this.#folder.remove(name);
  }
}

function agreedIn(text: string): z.infer<typeof Agreed> | undefined {
  try {
    const read = Agreed.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
