import { heldKey, keyRef } from '../../access/machine-keys.ts';
import { nothing, type PlannedChange } from '../../core/decision.ts';
import { type ClusterId, Fqdn, type ZoneName } from '../../core/ids.ts';
import type { Ref } from '../../core/ref.ts';
import type { Row } from '../../ports/table/table.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { enteringZone, residentRows } from '../../zones/changes/gate.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import { type Client, type ClientAlias, clientRef, minionTextRef } from '../client.ts';
import { givenId, newClusterId } from '../cluster-ids/changes.ts';
import { type ClusterIds, clusterIdRef, clusterIdsRef, decideClusterIds, keepsOwn } from '../cluster-ids/cluster-ids.ts';
import { decide } from '../decide.ts';
import { adoptedAlready } from '../on-adopt.ts';
import { zoneChanges } from '../plan-pins.ts';
import { systemIn } from '../reads/rows.ts';
import type { AdoptedSystem, AdoptingNode } from '../rows/command.ts';
import { recordClaims, recordsOf } from './claims.ts';
import { foundByTexts } from './minion-texts.ts';
import { pinRows } from './pins.ts';

/** A system as its server has it: `name` may be none that a host can have. */
export type OfferedSystem = Omit<AdoptedSystem, 'fqdn'> & { readonly name: string };

/** The node that systems are adopted with, and how. */
export type Adopting = {
  readonly id: string;
  readonly zone: ZoneName;
  readonly node: AdoptingNode;
  readonly by: string;
  readonly duplicates?: true | undefined;
  /** Only the outcomes count: the plan has no changes, and takes no ids. */
  readonly dryRun?: true | undefined;
};

/** What became of a system: it is `known` if it was adopted before, and `left` with the reason in words. */
export type AdoptOutcome = { readonly is: 'adopted' | 'known' | 'left'; readonly because: string };

/**
 * The rows of a commit that an adoption fills: DynamoDB takes 100, and the caller adds one of its own
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html).
 */
const rowsMax = 99;
/** The head of the zone, its pins, and its gate; and which cluster ids are given. */
const rowsOfAll = 4;

/** The systems that a plan is about, from the first on, and what it does. */
export type AdoptPlan = { readonly outcomes: readonly AdoptOutcome[]; readonly changes: readonly PlannedChange[] };

/**
 * Adopts systems in one commit: their rows with their node, those that find them, the records of what they claim, and
 * the count of the pins of the node. Systems of the first server that is adopted keep its ids as cluster ids. The
 * commit is about as many of the first ones as fit, and the next ones that report the same as one of them are for the
 * next commit, which reads what this one has recorded. Throws a Refusal for a zone that is gone.
 */
export async function adoptSystems(
  shell: Shell,
  reading: Reading,
  systems: readonly OfferedSystem[],
  adopting: Adopting,
): Promise<AdoptPlan> {
  await reading.rows(await refsOf(shell, reading, systems, adopting));
  const outcomes: AdoptOutcome[] = [];
  const changes = new Map<string, PlannedChange>();
  for (const system of systems) {
    const { outcome, changes: own } = await adoptSystem(shell, reading, system, adopting);
    const isMet = own.some(({ ref, decision }) => decision.does === 'write' && changes.has(nameOf(ref)));
    if (isMet || changes.size + own.length + rowsOfAll > rowsMax) break;
    outcomes.push(outcome);
    for (const change of own) changes.set(nameOf(change.ref), change);
  }
  const adopted = outcomes.filter(({ is }) => is === 'adopted').length;
  if (adopted === 0 || adopting.dryRun) return { outcomes, changes: [] };
  const { zone, node } = adopting;
  const pinned = { index: node.index, hard: 0, soft: adopted, coming: 0, leaving: 0 };
  const snapshot = { ...(await pinRows(shell, reading, zone)), loaded: await zoneOf(shell, zone) };
  const zoned = zoneChanges(snapshot, [pinned], `${adopted} adopted`, shell.now());
  return { outcomes, changes: [...changes.values(), ...zoned, ...(await firstServer(shell, reading, adopting))] };
}

const givenIds = async (shell: Shell, reading: Reading): Promise<ClusterIds | undefined> =>
  stateOf(await reading.row(clusterIdsRef()), shell.now());

/** The first server that is adopted is recorded, with the first of its systems. */
async function firstServer(shell: Shell, reading: Reading, { id, node }: Adopting): Promise<PlannedChange[]> {
  const row = await reading.row(clusterIdsRef());
  const decision = decideClusterIds(stateOf(row, shell.now()), { type: 'adopt', id, server: node.id });
  return decision.does === 'write' ? [{ ref: clusterIdsRef(), readRev: row?.rev ?? 0, decision, besides: true }] : [];
}

/**
 * The cluster id of a system: its own on the first server that is adopted, unless another has that already, and a new
 * one for any other; and the row that finds it by that.
 */
async function idFor(
  shell: Shell,
  reading: Reading,
  { fp, number }: Pick<AdoptedSystem, 'fp' | 'number'>,
  { node }: Adopting,
): Promise<{ readonly clusterId: ClusterId; readonly found: PlannedChange }> {
  if (keepsOwn(await givenIds(shell, reading), node.id, number)) {
    const isFree = (await reading.row(clusterIdRef(number))) === undefined;
    if (isFree) return { clusterId: number, found: givenId(number, fp) };
  }
  const clusterId = await newClusterId(shell);
  return { clusterId, found: givenId(clusterId, fp) };
}

/** Nearly all rows that the plan reads, so that they are read at once. */
async function refsOf(
  shell: Shell,
  reading: Reading,
  systems: readonly OfferedSystem[],
  { zone, node }: Adopting,
): Promise<Ref<unknown>[]> {
  const ids = await givenIds(shell, reading);
  const residents = await residentRows(
    shell,
    reading,
    zone,
    systems.map(({ fp }) => clientRef(fp)),
  );
  const own = systems.flatMap(({ fp, name, machineId, minion, number }): Ref<unknown>[] => {
    const fqdn = Fqdn.safeParse(name).data;
    const records = fqdn === undefined ? [] : recordsOf({ fqdn, machineId });
    const byId = keepsOwn(ids, node.id, number) ? [clusterIdRef(number)] : [];
    return [keyRef(fp), clientRef(fp), ...minion.ofText.map((one) => minionTextRef(one)), ...byId, ...records];
  });
  return [...own, ...residents];
}

const nameOf = ({ noun, id }: PlannedChange['ref']): string => `${noun} ${id}`;

type One = { readonly outcome: AdoptOutcome; readonly changes: readonly PlannedChange[] };

const left = (because: string): One => ({ outcome: { is: 'left', because }, changes: [] });

async function adoptSystem(shell: Shell, reading: Reading, { name, ...system }: OfferedSystem, adopting: Adopting): Promise<One> {
  const { id, zone, node, by, duplicates } = adopting;
  const fqdn = Fqdn.safeParse(name);
  if (!fqdn.success) return left('its name is none that a host can have');
  const who: AdoptedSystem = { ...system, fqdn: fqdn.data };
  const { row, client, key } = await heldKey(shell, reading, who.fp);
  if (key && key.owner.noun !== 'client') return left('its key is that of a node');
  const known = await knownBy(shell, reading, client);
  const claimed = await recordClaims(shell, reading, who, known);
  const decision = decide(known, { type: 'adopt', id, who, zone, node, by, others: claimed.before, duplicates }, shell.now());
  if (decision.does !== 'write')
    return decision.because === adoptedAlready
      ? { outcome: { is: 'known', because: decision.because }, changes: [] }
      : left(decision.because);
  const entry = await enteringZone(shell, reading, zone, clientRef(who.fp));
  if ('shut' in entry) return left(entry.shut);
  const outcome = { is: 'adopted', because: decision.because } as const;
  if (adopting.dryRun) return { outcome, changes: [] };
  const { clusterId, found } = await idFor(shell, reading, who, adopting);
  const next = { ...decision.next, clusterId };
  // The order of an administrator is what the audit has; the systems follow from it.
  const own: PlannedChange[] = [
    { ref: clientRef(who.fp), readRev: client?.rev ?? 0, decision: { ...decision, next }, besides: true },
    found,
    ...(row ? [{ ref: keyRef(who.fp), readRev: row.rev, decision: nothing('no node has this key') }] : []),
    ...entry.changes,
    ...(await foundByTexts(reading, who.minion, who.fp)),
    ...claimed.changes(true),
  ];
  return { outcome, changes: own };
}

/** The client system that a row under the fingerprint of a minion's key is, or leads to. */
async function knownBy(shell: Shell, reading: Reading, row: Row | undefined): Promise<Client | undefined> {
  const known = stateOf<Client | ClientAlias>(row, shell.now());
  return known?.standing === 'alias' ? systemIn(await reading.row(clientRef(known.of)), shell.now()) : known;
}
