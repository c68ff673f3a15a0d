import { bindKey, type HeldKey, heldKey } from '../../../access/machine-keys.ts';
import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { seesHost, seesZone } from '../../../access/zones-of-caller.ts';
import { Refusal } from '../../../api/problem.ts';
import { refuseAwaited } from '../../../clients/reads/pinned-to.ts';
import type { Plan } from '../../../core/decision.ts';
import { Later } from '../../../core/errors.ts';
import { Fingerprint, type ZoneName } from '../../../core/ids.ts';
import { type EpochMs, earlier } from '../../../core/time.ts';
import type { Row } from '../../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { enteringZone } from '../../../zones/changes/gate.ts';
import { ensureSeenDefaultZone, givenZone } from '../../../zones/reads/found.ts';
import { defaultZone } from '../../../zones/zone.ts';
import { removalOfNode } from '../../changes/removal.ts';
import { decide } from '../../decide.ts';
import { type Node, type NodeIn, type NodeKind, nodeRef } from '../../node.ts';
import { decideHost } from '../decide.ts';
import { domainFault } from '../own-name.ts';
import { foreignWatch, needsAnyWatch } from '../rows/own-watch.ts';
import { type PooledHost, poolRef, zoneOfHost } from '../rows/pooled-host.ts';
import { fingerprintsOf } from './list-pool.ts';
import { poolChange, pooledHost } from './pool.ts';

type Result = {
  readonly host: string;
  readonly done: boolean;
  readonly busy?: true;
  readonly needs?: 'anyWatch';
  readonly because: string;
};

/** Admits hosts, each by itself. */
export async function admitHosts({ body, request, caller }: AdminCall<'admitHosts'>, shell: Shell): Promise<Answer> {
  if (body.zone !== undefined) await givenZone(shell, body.zone, caller);
  else await ensureSeenDefaultZone(shell, caller);
  const results = body.hosts.map((host, n) =>
    one({ shell, host, caller }, async (fp) => {
      const { zone, kind, anyWatch } = body;
      const { changes, because, needs } = await applyPlan(shell, { id: `${request.id}-${n}` }, (reading) =>
        admitted(shell, reading, fp, { id: request.id, zone, kind, anyWatch, caller }),
      );
      return { host, done: changes.length > 0, ...(needs && { needs }), because: because[0]! };
    }),
  );
  return { status: 200, body: { results: await Promise.all(results) } };
}

/** Rejects hosts in the pool, and removes nodes that wait to come back, each by itself. */
export async function rejectHosts({ body, request, caller }: AdminCall<'rejectHosts'>, shell: Shell): Promise<Answer> {
  const results = body.hosts.map((host, n) =>
    one({ shell, host, caller }, async (fp) => {
      const id = `${request.id}-${n}`;
      const { changes, because } = await applyPlan(shell, { id }, (reading) => rejected(shell, reading, fp, { id, caller }));
      return { host, done: changes.length > 0, because: because[0]! };
    }),
  );
  return { status: 200, body: { results: await Promise.all(results) } };
}

/** Finds a host and carries out the order; `busy` is the result of one host like any other. */
async function one(
  { shell, host, caller }: { readonly shell: Shell; readonly host: string; readonly caller: AdminCaller },
  order: (fp: string) => Promise<Result>,
): Promise<Result> {
  try {
    const found = Fingerprint.safeParse(host).success ? [host] : await fingerprintsOf(shell, host, caller);
    if (found.length === 0) return { host, done: false, because: 'no host of this name waits' };
    if (found.length > 1)
      return { host, done: false, because: `${found.length} hosts wait under this name: give the fingerprint of the one that is meant` };
    return await order(found[0]!);
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'door.refused', { host, type: error.code, detail: error.message });
    return { host, done: false, busy: true, because: 'busy, try again' };
  }
}

type Order = {
  readonly id: string;
  /** Absent: the one that the host asks for. */
  readonly zone: ZoneName | undefined;
  readonly kind: NodeKind | undefined;
  readonly anyWatch: boolean;
  readonly caller: AdminCaller;
};

/** The outcome of admitting a host; `needs`: the option without which it is not done. */
type Admitting = Plan & { readonly needs?: 'anyWatch' };

/** Admits a host in the pool, or takes back a node that was removed or waits to come back, with its key. */
async function admitted(shell: Shell, reading: Reading, fp: string, { id, zone, kind, anyWatch, caller }: Order): Promise<Admitting> {
  const [pool, key] = [await pooledHost(shell, reading, fp), await heldKey(shell, reading, fp)];
  const owner = key.key?.owner;
  const row = owner?.noun === 'node' ? await reading.row(nodeRef(owner.id)) : undefined;
  const node = stateOf(row, shell.now());
  if (node) return takenBack(shell, reading, { node, row: row!, key, id, caller });
  const host = pool.host ?? (key.key?.state === 'revoked' && row?.gone ? asItWas(row.body, fp as Fingerprint, row.at) : undefined);
  if (!host || !seesHost(caller, host)) return { changes: [], because: ['no host with this fingerprint waits'] };
  const wished = zone ?? zoneOfHost(host) ?? defaultZone;
  const entry = await enteringZone(shell, reading, wished);
  if (!seesZone(caller, wished) || 'shut' in entry)
    return { changes: [], because: [`it asks for zone ${wished}, which does not exist: name another`] };
  const unfit = domainFault({ fqdn: host.fqdn, kind: kind ?? host.kind });
  if (unfit !== undefined) return { changes: [], because: [unfit] };
  if (needsAnyWatch(host) && !anyWatch) return { changes: [], because: [foreignWatch(host)], needs: 'anyWatch' };
  const changes = poolChange(shell, fp, { row: pool.row, host }, { type: 'admit', zone: wished, kind, anyWatch });
  if (changes.length > 0) changes.push(...entry.changes);
  return { changes, because: [changes.length > 0 ? `${host.fqdn} is admitted into zone ${wished}` : 'it is admitted already'] };
}

/**
 * Rejects a host in the pool. A node that was given up and waits for readmission is removed, which is the same for its
 * host.
 */
async function rejected(shell: Shell, reading: Reading, fp: string, { id, caller }: Pick<Order, 'id' | 'caller'>): Promise<Plan> {
  const owner = (await heldKey(shell, reading, fp)).key?.owner;
  const node = owner?.noun === 'node' ? stateOf(await reading.row(nodeRef(owner.id)), shell.now()) : undefined;
  if (node?.status === 'dropped' && node.readmission !== undefined && seesZone(caller, node.zone))
    return refusedBack(shell, reading, node, id);
  const { row, host } = await pooledHost(shell, reading, fp);
  const seen = host && seesHost(caller, host) ? host : undefined;
  const decision = decideHost(seen, { type: 'reject' }, shell.now());
  const changes = decision.does === 'nothing' ? [] : [{ ref: poolRef(fp), readRev: row?.rev ?? 0, decision }];
  return { changes, because: [decision.because] };
}

/** Denies a node its readmission: it is removed, unless client systems wait for it and no other. */
async function refusedBack(shell: Shell, reading: Reading, node: NodeIn<'dropped'>, id: string): Promise<Plan> {
  try {
    await refuseAwaited(shell, node);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { changes: [], because: [error.message] };
  }
  return removalOfNode(shell, reading, node.id, id);
}

type Held = { readonly node: Node; readonly row: Row; readonly key: HeldKey; readonly id: string; readonly caller: AdminCaller };

async function takenBack(shell: Shell, reading: Reading, { node, row, key, id, caller }: Held): Promise<Plan> {
  if (!seesZone(caller, node.zone)) return { changes: [], because: ['no host with this fingerprint waits'] };
  const decision = decide(node, { type: 'take-back', id }, shell.now());
  if (decision.does !== 'write') return { changes: [], because: [notTakenBack(node, decision.because)] };
  const entry = await enteringZone(shell, reading, node.zone, nodeRef(node.id));
  if ('shut' in entry) return { changes: [], because: [entry.shut] };
  const wakeAt = earlier(row.wakeAt, decision.wakeAt);
  const owner = nodeRef(node.id);
  const back = { ref: owner, readRev: row.rev, decision: { ...decision, ...(wakeAt !== undefined && { wakeAt }) } };
  // The key of a removed node is no longer valid; the key of a node that waits to come back still is.
  const bound = key.key?.state === 'revoked' ? bindKey({ ...key, key: undefined }, owner, shell.now()) : [];
  return { changes: [back, ...bound, ...entry.changes], because: [decision.because] };
}

const notTakenBack = (node: Node, because: string): string => (node.removedAt === undefined ? `${node.fqdn} is a node already` : because);

/** A node that was removed before it ever came up, as the host that it was when it joined. */
const asItWas = ({ publicKey, fqdn, kind, zone, watch, joinedAt }: Node, fp: Fingerprint, seenAt: EpochMs): PooledHost => ({
  standing: 'waiting',
  fp,
  publicKey,
  fqdn,
  kind,
  zone,
  watch,
  source: 'unknown',
  firstSeenAt: joinedAt,
  seenAt,
});
