import * as z from 'zod';
import { Fingerprint } from '../../../lib/core/ids.ts';
import { jsonIn } from '../../../lib/core/json.ts';
import { EpochMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { Answer } from './ask.ts';
import type { KeyStates } from './keys.ts';

const memoryFile = 'salt.json';

/**
 * Muster's last answer about a minion's key. `fp`: the client system's name on the node's list; `goneAt`: since when it
 * is not on the list.
 */
export const Verdict = z.strictObject({
  ...nodeRoutes.system.reply!.shape,
  askedAt: EpochMs,
  goneAt: EpochMs.optional(),
  /** Its place was revoked since: the agent asks Muster again before it relies on this verdict. */
  doubted: z.literal(true).optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/**
 * The memory of the keeper of keys, by the fingerprints of minions' keys. All of it may be lost: the agent then asks
 * Muster again.
 */
export const Memory = z.strictObject({
  version: z.literal(1),
  verdicts: z.record(Fingerprint, Verdict),
  /** Client systems whose metadata was applied here, by their names on the list. */
  applied: z.array(Fingerprint),
  /**
   * The revision at which it was applied, and the latest revision that Muster has named; absent in a memory older than
   * metadata.
   */
  revisions: z.record(Fingerprint, z.int().nonnegative()).optional(),
  wanted: z.record(Fingerprint, z.int().nonnegative()).optional(),
  /**
   * The last desired state and news, when the agent last read the revisions of all, and the map version of the last
   * list; absent in a memory older than this field.
   */
  heard: z
    .strictObject({ desired: z.int().nonnegative(), n: z.int().nonnegative(), allAt: EpochMs, map: z.int().nonnegative().optional() })
    .optional(),
  /** The zone's revocations that the agent has taken in: up to which version, and the time of the newest, in s. */
  revoked: z.strictObject({ version: z.int().nonnegative(), at: z.int().nonnegative() }).optional(),
  /** When keys were removed last. */
  removedAt: EpochMs.optional(),
});
export type Memory = z.infer<typeof Memory>;

/** The memory in this folder; an empty one where it cannot be read. */
export function readMemory(folder: Folder): Memory {
  const read = Memory.safeParse(jsonIn(folder.read(memoryFile)));
  return read.success ? read.data : { version: 1, verdicts: {}, applied: [] };
}

/** Replaces the memory. */
export const writeMemory = (folder: Folder, memory: Memory): void => folder.write(memoryFile, `${JSON.stringify(memory)}\n`);

/**
 * The part of the memory that is still needed: about keys at the master and client systems on the list, and since when
 * others are not on it. Without a list, which is dropped when the node is flushed, no metadata counts as applied.
 */
export function pruned(memory: Memory, keys: KeyStates, list: ReadonlySet<string> | undefined, now: EpochMs): Memory {
  const present = new Set(Object.values(keys).flatMap((some) => some.map(({ fp }) => fp)));
  const verdicts: Memory['verdicts'] = {};
  for (const [fp, { goneAt = now, ...verdict }] of Object.entries(memory.verdicts) as [Fingerprint, Verdict][]) {
    if (!present.has(fp)) continue;
    const isGone = list !== undefined && verdict.fp !== undefined && !list.has(verdict.fp);
    verdicts[fp] = isGone ? { ...verdict, goneAt } : verdict;
  }
  // A list has no pinned client systems: those that Muster accepts are here, too.
  const here = new Set(Object.values(verdicts).flatMap(({ verdict, fp }) => (verdict === 'accept' && fp !== undefined ? [fp] : [])));
  const stays = (fp: Fingerprint): boolean => list !== undefined && (list.has(fp) || here.has(fp));
  const { revisions = {}, wanted = {} } = memory;
  return {
    ...memory,
    verdicts,
    applied: memory.applied.filter(stays),
    revisions: retained(revisions, stays),
    wanted: retained(wanted, (fp) => stays(fp) && wanted[fp]! > (revisions[fp] ?? 0)),
  };
}

const retained = (all: Record<Fingerprint, number>, stays: (fp: Fingerprint) => boolean): Record<Fingerprint, number> =>
  Object.fromEntries((Object.entries(all) as [Fingerprint, number][]).filter(([fp]) => stays(fp)));

/** The memory with verdicts that Muster gave at a moment. */
export function withVerdicts(memory: Memory, answers: readonly Answer[], askedAt: EpochMs): Memory {
  const given = answers.map(([{ fp }, verdict]) => {
    const { goneAt } = memory.verdicts[fp] ?? {};
    return [fp, { ...verdict, askedAt, ...(goneAt !== undefined && { goneAt }) }];
  });
  return { ...memory, verdicts: { ...memory.verdicts, ...Object.fromEntries(given) } };
}

/** The memory without the answers that Muster does not know a key, so that it is asked again. */
export const withoutUnknown = (memory: Memory): Memory => ({
  ...memory,
  verdicts: Object.fromEntries(Object.entries(memory.verdicts).filter(([, { verdict }]) => verdict !== 'unknown')),
});

/** The memory after metadata was applied at a revision. */
export const withApplied = (memory: Memory, fp: Fingerprint, revision: number): Memory => ({
  ...memory,
  applied: [...memory.applied.filter((one) => one !== fp), fp],
  revisions: { ...memory.revisions, [fp]: revision },
});
