import { Refusal } from '../api/problem.ts';
import { type Client, type ClientAlias, clientRef } from '../clients/client.ts';
import { nothing, type PlannedChange, write } from '../core/decision.ts';
import type { Ref } from '../core/ref.ts';
import type { EpochMs } from '../core/time.ts';
import type { Row } from '../ports/table/table.ts';
import type { Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';

/**
 * Whose a machine's key is, by its fingerprint: one key belongs to one node or client system for ever, also once it is
 * revoked.
 */
export type MachineKey = {
  readonly owner: { readonly noun: 'node' | 'client'; readonly id: string };
  readonly state: 'bound' | 'revoked';
  /** Since when it is so. */
  readonly at: EpochMs;
};

/** The row of a key; `fp` is the fingerprint of the raw key. */
export const keyRef = (fp: string): Ref<MachineKey> => ({ noun: 'key', id: fp });

/** A key as a plan read it. */
export type HeldKey = {
  readonly fp: string;
  readonly row: Row | undefined;
  /** The row of the client system that has this key, or would have it. */
  readonly client: Row | undefined;
  readonly key: MachineKey | undefined;
};

/**
 * The key's row, and whose it is. A client system's own row says that a key is its, so that none has a row more for it.
 */
export async function heldKey(shell: Pick<Shell, 'now'>, reading: Reading, fp: string): Promise<HeldKey> {
  const [row, client] = await reading.rows([keyRef(fp), clientRef(fp)]);
  const now = shell.now();
  return { fp, row, client, key: stateOf(row, now) ?? ofClient(stateOf(client, now)) };
}

const ofClient = (client: Client | ClientAlias | undefined): MachineKey | undefined =>
  client === undefined || client.standing === 'alias' ? undefined : { owner: clientRef(client.fp), state: 'bound', at: client.firstSeenAt };

/**
 * Binds a key to its owner, in the commit that makes or changes the owner; no change when it is bound so already. The
 * commit holds only if no client system has come with this key meanwhile. Throws a {@link Refusal} for a key of another
 * machine, and for one that was revoked.
 */
export function bindKey({ fp, row, client, key }: HeldKey, owner: MachineKey['owner'], now: EpochMs): PlannedChange[] {
  if (key && !isOf(key, owner)) throw new Refusal('key-in-use', 'this key belongs to another machine; every machine makes its own');
  if (key?.state === 'revoked') throw new Refusal('key-in-use', 'this key was given up; make another one');
  if (key) return [];
  return [
    keyChange(fp, row, { owner, state: 'bound', at: now }, `the key of ${owner.noun} ${owner.id}`),
    { ref: clientRef(fp), readRev: client?.rev ?? 0, decision: nothing('no client system has this key') },
  ];
}

/**
 * That a key is free for a client system, whose own row will say that it has it: a check for the commit that makes that
 * row. Throws a {@link Refusal} for a node's key.
 */
export function freeForClient({ fp, row, key }: HeldKey): PlannedChange {
  if (key && key.owner.noun !== 'client') throw new Refusal('key-in-use', 'this key belongs to a node; every machine makes its own');
  return { ref: keyRef(fp), readRev: row?.rev ?? 0, decision: nothing('no node has this key') };
}

/**
 * Revokes a key of this owner, in the commit that removes the owner or gives it another key; no change when it is
 * revoked already.
 */
export function revokeKey({ fp, row, key }: HeldKey, owner: MachineKey['owner'], now: EpochMs): PlannedChange[] {
  if (key && (key.state === 'revoked' || !isOf(key, owner))) return [];
  return [keyChange(fp, row, { owner, state: 'revoked', at: now }, `no key of ${owner.noun} ${owner.id} any more`)];
}

const isOf = ({ owner }: MachineKey, { noun, id }: MachineKey['owner']): boolean => owner.noun === noun && owner.id === id;

const keyChange = (fp: string, row: Row | undefined, key: MachineKey, because: string): PlannedChange => ({
  ref: keyRef(fp),
  readRev: row?.rev ?? 0,
  decision: write<MachineKey, never>(key, because),
});
