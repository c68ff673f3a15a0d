import type { Objects } from '../../../ports/objects/objects.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { Damaged, type PackedManifest, type ReadBlob, unpackedManifest } from '../../../uyuni/content/packed.ts';

/** How the names of all blobs in the store begin: other things are in it as well. */
const lead = 'content-';
/** What blobs of a zone are called in the store: each zone has its own, so that no zone reads what another has. */
export const storedName = (zoneNumber: number, blob: string): string => `${lead}${zoneNumber.toString(36)}-${blob}`;
/** Whether the name in the store is that of a blob of common content. */
export const isBlob = (name: string): boolean => name.startsWith(lead);

/** The store of a function that has one. Throws for any other. */
export function storeOf({ objects }: Pick<Shell, 'objects'>): Objects {
  if (!objects) throw new Error('this function has no store');
  return objects;
}

/** Reads blobs of a zone. What it gives throws {@link Damaged} for a blob that is not there. */
export const blobsOf =
  (shell: Pick<Shell, 'objects'>, zoneNumber: number): ReadBlob =>
  async (blob) => {
    const stored = await storeOf(shell).read(storedName(zoneNumber, blob));
    if (!stored) throw new Damaged(`blob ${blob} is not in the store`);
    return stored.bytes;
  };

/** The manifest of a revision. Throws {@link Damaged}. */
export const manifestIn = (shell: Pick<Shell, 'objects'>, zoneNumber: number, names: readonly string[]): Promise<PackedManifest> =>
  unpackedManifest(names, blobsOf(shell, zoneNumber));
