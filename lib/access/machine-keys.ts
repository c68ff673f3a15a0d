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
 * The owner of a machine's key, by its fingerprint. A key belongs to one node or client system for ever, even after it
 * is revoked.
 */
export type MachineKey = {
  readonly owner: { readonly noun: 'node' | 'client'; readonly id: string };
  readonly state: 'bound' | 'revoked';
  /** Since when it has this state. */
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

/** The key's row and its owner. A client system's own row records that it has a key, so that it needs no second row. */
export async function heldKey(shell: Pick<Shell, 'now'>, reading: Reading, fp: string): Promise<HeldKey> {
  const [row, client] = await reading.rows([keyRef(fp), clientRef(fp)]);
  const now = shell.now();
  return { fp, row, client, key: stateOf(row, now) ?? ofClient(stateOf(client, now)) };
}

const ofClient = (client: Client | ClientAlias | undefined): MachineKey | undefined =>
  client === undefined || client.standing === 'alias' ? undefined : { owner: clientRef(client.fp), state: 'bound', at: client.firstSeenAt };

/**
 * Binds a key to its owner, in the commit that makes or changes the owner. Gives no change when the key is already
 * bound to this owner. The commit only holds if no client system has come with this key in the meantime. Throws a
 * {@link Refusal} for a key of another machine, and for a revoked key.
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
 * A check that a key is free for a client system, for the commit that writes the client system's row, which records the
 * key. Throws a {@link Refusal} for a node's key.
 */
export function freeForClient({ fp, row, key }: HeldKey): PlannedChange {
  if (key && key.owner.noun !== 'client') throw new Refusal('key-in-use', 'this key belongs to a node; every machine makes its own');
  return { ref: keyRef(fp), readRev: row?.rev ?? 0, decision: nothing('no node has this key') };
}

/**
 * Revokes a key of this owner, in the commit that removes the owner or gives it another key. Gives no change when the
 * key is already revoked or belongs to another.
 */
export function revokeKey({ fp, row, key }: HeldKey, owner: MachineKey['owner'], now: EpochMs): PlannedChange[] {
  if (key && (key.state === 'revoked' || !isOf(key, owner))) return [];
  return [keyChange(fp, row, { owner, state: 'revoked', at: now }, `no longer the key of ${owner.noun} ${owner.id}`)];
}

const isOf = ({ owner }: MachineKey, { noun, id }: MachineKey['owner']): boolean => owner.noun === noun && owner.id === id;

const keyChange = (fp: string, row: Row | undefined, key: MachineKey, because: string): PlannedChange => ({
  ref: keyRef(fp),
  readRev: row?.rev ?? 0,
  decision: write<MachineKey, never>(key, because),
});
