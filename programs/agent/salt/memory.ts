import * as z from 'zod';
import { Fingerprint } from '../../../lib/core/ids.ts';
import { EpochMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { KeyStates } from './keys.ts';

const memoryFile = 'salt.json';

/**
 * What Muster said of a minion's key when it was asked last. `fp`: the client system's name on the node's list;
 * `goneAt`: since when it is not on it.
 */
export const Verdict = z.strictObject({
  ...nodeRoutes.system.reply!.shape,
  askedAt: EpochMs,
  goneAt: EpochMs.optional(),
  /** Its place was revoked since: Muster is asked again before anything rests on this. */
  doubted: z.literal(true).optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/**
 * What the keeper of keys must not forget, by the fingerprints of minions' keys. All of it may be lost: Muster is asked
 * again.
 */
export const Memory = z.strictObject({
  version: z.literal(1),
  verdicts: z.record(Fingerprint, Verdict),
  /** Client systems whose metadata was applied here, by their names on the list. */
  applied: z.array(Fingerprint),
  /**
   * At which revision it was applied, and up to which revision Muster has told of it; absent in a memory from before
   * there was metadata.
   */
  revisions: z.record(Fingerprint, z.int().nonnegative()).optional(),
  wanted: z.record(Fingerprint, z.int().nonnegative()).optional(),
  /**
   * The desired state and the news that were heard, when the revisions of all were asked for last, and of which map the
   * list was that was seen last; absent in a memory from before that was kept.
   */
  heard: z
    .strictObject({ desired: z.int().nonnegative(), n: z.int().nonnegative(), allAt: EpochMs, map: z.int().nonnegative().optional() })
    .optional(),
  /** The zone's revocations that were heard of: up to which, and when the newest of them was, in s. */
  revoked: z.strictObject({ version: z.int().nonnegative(), at: z.int().nonnegative() }).optional(),
  /** When keys were removed last. */
  removedAt: EpochMs.optional(),
});
export type Memory = z.infer<typeof Memory>;

/** What was written down in this folder; nothing where that cannot be read. */
export function readMemory(folder: Folder): Memory {
  const read = Memory.safeParse(parsed(folder.read(memoryFile) ?? ''));
  return read.success ? read.data : { version: 1, verdicts: {}, applied: [] };
}

/** Replaces what is written down. */
export const writeMemory = (folder: Folder, memory: Memory): void => folder.write(memoryFile, `${JSON.stringify(memory)}\n`);

/**
 * What is still worth remembering: of keys that are at the master, and of client systems on the list; and since when
 * others are not on it. Without a list, which is forgotten when the node is flushed, nothing has been applied.
 */
export function pruned(memory: Memory, keys: KeyStates, list: ReadonlySet<string> | undefined, now: EpochMs): Memory {
  const present = new Set(Object.values(keys).flatMap((some) => some.map(({ fp }) => fp)));
  const verdicts: Memory['verdicts'] = {};
  for (const [fp, { goneAt = now, ...verdict }] of Object.entries(memory.verdicts) as [Fingerprint, Verdict][]) {
    if (!present.has(fp)) continue;
    const isGone = list !== undefined && verdict.fp !== undefined && !list.has(verdict.fp);
    verdicts[fp] = isGone ? { ...verdict, goneAt } : verdict;
  }
  // A list holds no pins: whom Muster has said to accept is here, too.
  const here = new Set(Object.values(verdicts).flatMap(({ verdict, fp }) => (verdict === 'accept' && fp !== undefined ? [fp] : [])));
  const stays = (fp: Fingerprint): boolean => list !== undefined && (list.has(fp) || here.has(fp));
  const { revisions = {}, wanted = {} } = memory;
  return {
    ...memory,
    verdicts,
    applied: memory.applied.filter(stays),
    revisions: kept(revisions, stays),
    wanted: kept(wanted, (fp) => stays(fp) && wanted[fp]! > (revisions[fp] ?? 0)),
  };
}

const kept = (all: Record<Fingerprint, number>, stays: (fp: Fingerprint) => boolean): Record<Fingerprint, number> =>
  Object.fromEntries((Object.entries(all) as [Fingerprint, number][]).filter(([fp]) => stays(fp)));

/** What is written down when metadata was applied at a revision. */
export const withApplied = (memory: Memory, fp: Fingerprint, revision: number): Memory => ({
  ...memory,
  applied: [...memory.applied.filter((one) => one !== fp), fp],
  revisions: { ...memory.revisions, [fp]: revision },
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
