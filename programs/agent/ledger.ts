import * as z from 'zod';
import { Boot } from '../../events/reported/node.ts';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { jsonIn } from '../../lib/core/json.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { newKeyPair } from '../../lib/identity/key-pair.ts';
import { Unusable } from '../../lib/machine/command-line.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';

const ledgerFile = 'ledger.json';
const listFile = 'systems.json';
const leavingFile = 'leaving.json';
const rotatingFile = 'rotating.json';

const Pair = z.strictObject({ publicKey: z.string(), privateKey: z.string() });

/** This start of the agent, under this boot of the kernel. */
export type AgentBoot = z.infer<typeof Boot>;

const ReleaseOrders = nodeRoutes.desired.reply!.shape.release;
/** Slots that the node has lost while it serves, and the map version that moved them. */
export type ReleaseOrder = z.infer<typeof ReleaseOrders>[number];
/** What a node's host runs. */
export const NodeKind = nodeRoutes.join.body!.shape.kind;
export type NodeKind = z.infer<typeof NodeKind>;

/** The lasting state of an agent: its key, name, node and zone, its boot, and its last desired state. */
export const Ledger = z.strictObject({
  version: z.literal(1),
  publicKey: z.string(),
  privateKey: z.string(),
  /** Since when this is the key; absent in a ledger older than the replacement of keys. */
  keySince: EpochMs.optional(),
  /** The next key; and the previous key, until Muster has accepted a call under the present one. */
  nextKey: Pair.optional(),
  oldKey: Pair.optional(),
  /**
   * The deployment that calls are signed for, and by how many ms its clock is ahead of ours; absent before the first
   * answer.
   */
  deployment: z.string().optional(),
  clockAheadMs: z.int().optional(),
  fqdn: Fqdn,
  node: NodeId.optional(),
  zone: ZoneName.optional(),
  boot: Boot.optional(),
  incarnation: z.int().nonnegative(),
  generation: z.int().nonnegative(),
  flushed: z.int().nonnegative().optional(),
  /** `released`: the map version up to which the agent has carried out release orders. */
  desired: z.strictObject({ rev: z.int().nonnegative(), release: ReleaseOrders, released: z.int().nonnegative() }),
});
export type Ledger = z.infer<typeof Ledger>;

/** The list of the node's client systems as Muster sent it, in fingerprint order. */
export const SystemsList = z.strictObject({
  version: z.int().nonnegative(),
  mapVersion: z.int().nonnegative(),
  systems: z.array(z.string()),
});
export type SystemsList = z.infer<typeof SystemsList>;

/** Records that the operator of this machine had the node leave on purpose, and by which mode. */
export const Leaving = z.strictObject({ incarnation: z.int(), generation: z.int(), mode: z.enum(['drain', 'hold']) });
export type Leaving = z.infer<typeof Leaving>;

/** The public key that an operator asked to replace. */
const Rotating = z.strictObject({ from: z.string() });

/**
 * The ledger in this folder; undefined when there is none. Throws {@link Unusable} when it is damaged: without its key
 * the node would be another.
 */
export function readLedger(folder: Folder): Ledger | undefined {
  const text = folder.read(ledgerFile);
  if (text === undefined) return undefined;
  const read = Ledger.safeParse(jsonIn(text));
  if (!read.success)
    throw new Unusable(`${folder.path}/${ledgerFile} is damaged: restore it from a backup, or remove the folder to join as a new node`);
  return read.data;
}

/** A ledger for a node that has never joined, with a new key. */
export const newLedger = (fqdn: Fqdn): Ledger => ({
  version: 1,
  ...newKeyPair(),
  fqdn,
  incarnation: 0,
  generation: 0,
  desired: { rev: 0, release: [], released: 0 },
});

/** Replaces the ledger. */
export const writeLedger = (folder: Folder, ledger: Ledger): void => folder.write(ledgerFile, `${JSON.stringify(ledger)}\n`);

/** The list stored in this folder; one that cannot be read counts as none, since Muster sends it again. */
export const readList = (folder: Folder): SystemsList | undefined => SystemsList.safeParse(jsonIn(folder.read(listFile))).data;

/** Replaces the list; removes its file for undefined. */
export const writeList = (folder: Folder, list: SystemsList | undefined): void =>
  list ? folder.write(listFile, `${JSON.stringify(list)}\n`) : folder.remove(listFile);

/**
 * The mode in which this node has announced that it leaves; undefined when it has not. A drain ends once the node joins
 * as new, a hold once the agent has started again.
 */
export function readLeaving(
  folder: Folder,
  { incarnation, generation }: Pick<Ledger, 'incarnation' | 'generation'>,
): Leaving['mode'] | undefined {
  const read = Leaving.safeParse(jsonIn(folder.read(leavingFile)));
  if (!read.success) return undefined;
  const { mode } = read.data;
  return (mode === 'drain' ? read.data.generation === generation : read.data.incarnation === incarnation) ? mode : undefined;
}

/** Records for the running agent that the node has announced that it leaves. */
export const writeLeaving = (folder: Folder, leaving: Leaving): void => folder.write(leavingFile, `${JSON.stringify(leaving)}\n`);

/** Whether an operator has asked to replace the ledger's key. */
export function readRotating(folder: Folder, { publicKey }: Pick<Ledger, 'publicKey'>): boolean {
  const text = folder.read(rotatingFile);
  return text !== undefined && Rotating.safeParse(jsonIn(text)).data?.from === publicKey;
}

/** Asks the running agent to replace this key; has no effect once the agent has another key. */
export const writeRotating = (folder: Folder, from: string): void => folder.write(rotatingFile, `${JSON.stringify({ from })}\n`);
