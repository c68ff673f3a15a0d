import * as z from 'zod';
import { Boot } from '../../events/reported/node.ts';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
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

/** What an agent must not forget: its key, its name, what Muster made it, its boot, and its last desired state. */
export const Ledger = z.strictObject({
  version: z.literal(1),
  publicKey: z.string(),
  privateKey: z.string(),
  /** Since when it is the key; absent in a ledger from before keys were replaced. */
  keySince: EpochMs.optional(),
  /** The key that is to follow, and the one before until its follower has proved itself. */
  nextKey: Pair.optional(),
  oldKey: Pair.optional(),
  /**
   * Which deployment calls are signed for, and by how many ms its clock is ahead of ours; absent before it has told.
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
  /** `released`: the map version up to which release orders are carried out. */
  desired: z.strictObject({ rev: z.int().nonnegative(), release: ReleaseOrders, released: z.int().nonnegative() }),
});
export type Ledger = z.infer<typeof Ledger>;

/** The list of client systems that the node was handed, in fingerprint order. */
export const SystemsList = z.strictObject({
  version: z.int().nonnegative(),
  mapVersion: z.int().nonnegative(),
  systems: z.array(z.string()),
});
export type SystemsList = z.infer<typeof SystemsList>;

/** That the operator of this machine let the node go on purpose, and as what it went. */
export const Leaving = z.strictObject({ incarnation: z.int(), generation: z.int(), mode: z.enum(['drain', 'hold']) });
export type Leaving = z.infer<typeof Leaving>;

/** Which public key is to be replaced. */
const Rotating = z.strictObject({ from: z.string() });

/**
 * The ledger in this folder; undefined when there is none. Throws {@link Unusable} when it is damaged: without its key
 * the node would be another.
 */
export function readLedger(folder: Folder): Ledger | undefined {
  const text = folder.read(ledgerFile);
  if (text === undefined) return undefined;
  const read = Ledger.safeParse(parsed(text));
  if (!read.success)
    throw new Unusable(`${folder.path}/${ledgerFile} is damaged; put it back from a backup, or remove the folder to join as a new node`);
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

/** The list kept in this folder; one that cannot be read counts as none, since Muster hands it out again. */
export const readList = (folder: Folder): SystemsList | undefined => SystemsList.safeParse(parsed(folder.read(listFile))).data;

/** Replaces the list; removes it when there is none any more. */
export const writeList = (folder: Folder, list: SystemsList | undefined): void =>
  list ? folder.write(listFile, `${JSON.stringify(list)}\n`) : folder.remove(listFile);

/**
 * How this node has said that it goes; undefined when it has not. A drain is over once the node joins as new, a hold
 * once the agent has started again.
 */
export function readLeaving(
  folder: Folder,
  { incarnation, generation }: Pick<Ledger, 'incarnation' | 'generation'>,
): Leaving['mode'] | undefined {
  const read = Leaving.safeParse(parsed(folder.read(leavingFile)));
  if (!read.success) return undefined;
  const { mode } = read.data;
  return (mode === 'drain' ? read.data.generation === generation : read.data.incarnation === incarnation) ? mode : undefined;
}

/** Marks that the node has said that it goes, for the agent that runs beside. */
export const writeLeaving = (folder: Folder, leaving: Leaving): void => folder.write(leavingFile, `${JSON.stringify(leaving)}\n`);

/** Whether somebody has asked for another key than the ledger's. */
export function readRotating(folder: Folder, { publicKey }: Pick<Ledger, 'publicKey'>): boolean {
  const text = folder.read(rotatingFile);
  return text !== undefined && Rotating.safeParse(parsed(text)).data?.from === publicKey;
}

/** Asks the agent that runs beside for another key than this one; over once it has another. */
export const writeRotating = (folder: Folder, from: string): void => folder.write(rotatingFile, `${JSON.stringify({ from })}\n`);

const parsed = (text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
