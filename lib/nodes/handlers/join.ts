import { bindKey, type HeldKey, heldKey } from '../../access/machine-keys.ts';
import { Refusal } from '../../api/problem.ts';
import type { BodyOf } from '../../api/route.ts';
import { type Plan, type PlannedChange, write } from '../../core/decision.ts';
import type { NodeId, ZoneName } from '../../core/ids.ts';
import { type EpochMs, earlier } from '../../core/time.ts';
import { fingerprintOf, nodeIdOf } from '../../identity/fingerprint.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Caller } from '../../runtime/verify.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { ensureDefaultZone } from '../../zones/reads/zones.ts';
import { defaultZone, zoneRef } from '../../zones/zone.ts';
import type { AskingHost } from '../admission/command.ts';
import { type Admission, type Applicant, byOperator, byRule, byToken, type Denied, type Unwatched } from '../admission/handlers/judge.ts';
import { type HeldHost, poolChange, pooledAnswer, pooledHost, waits } from '../admission/handlers/pool.ts';
import { joinDenied, recordRefused, refusedFor, removed } from '../admission/handlers/refusals.ts';
import { domainFault } from '../admission/own-name.ts';
import { takeOver } from '../changes/take-over.ts';
import type { NodeCommand } from '../command.ts';
import { decide } from '../decide.ts';
import { type Node, nodeRef } from '../node.ts';
import type { memberRoutes } from '../routes.ts';
import { fqdnRef } from '../rows/name.ts';

type Body = BodyOf<typeof memberRoutes.join>;
type JoinCommand = Extract<NodeCommand, { type: 'join' }>;

/** The outcome of a join: a node, a place in the pool, or nothing. */
type Outcome =
  | { readonly is: 'node'; readonly node: NodeId; readonly zone: ZoneName }
  | { readonly is: 'pooled' }
  /**
   * Another node has its name, or it asks to be watched elsewhere; it waits in the pool, in case an operator admits it
   * anyway.
   */
  | { readonly is: 'refused'; readonly refusal: Refusal }
  | ({ readonly is: 'denied' } & Denied);
type JoinPlan = Plan & { readonly outcome: Outcome };

/**
 * A machine joins. A machine that is a node already gets that node as the answer. Any other needs an admission by an
 * operator, a token or a rule. Without one it waits in the pool, even if it asks for a zone that does not exist:
 * strangers must not learn which zones exist. The admission is used up in the commit that makes the row of the node and
 * binds its name and its key.
 */
export async function join({ body, caller, request }: Call<typeof memberRoutes.join, Caller>, shell: Shell): Promise<Answer> {
  if ((body.zone ?? defaultZone) === defaultZone) await ensureDefaultZone(shell);
  const asking = askingOf(body, caller.source);
  const unfit = domainFault(asking);
  if (unfit !== undefined) throw new Refusal('invalid', unfit, { errors: [{ pointer: '/fqdn', detail: unfit }] });
  const id = shell.newId();
  const { outcome } = await applyPlan(shell, { id }, (reading) => planJoin(shell, reading, asking, { token: body.token, id }));
  if (outcome.is === 'node') return { status: 201, body: { node: outcome.node, zone: outcome.zone, nextMs: 1 } };
  if (outcome.is === 'pooled') return pooledAnswer(asking);
  const { refusal, why } = outcome.is === 'denied' ? { refusal: joinDenied(), why: outcome.denied } : refusedFor(outcome.refusal);
  // A host that asks for a name that is taken has proved nothing, and waits in the pool where every operator sees it.
  if (refusal.type !== 'fqdn-in-use') await recordRefused(shell, { request, asking, type: refusal.type, why });
  throw refusal;
}

function askingOf({ publicKey, fqdn, kind, zone, watch, capacity }: Body, source: string): AskingHost {
  const fp = fingerprintOf(publicKey);
  return { fp, publicKey, fqdn, kind, zone, watch: watch ?? `${fqdn}:4505`, capacity, source };
}

async function planJoin(
  shell: Shell,
  reading: Reading,
  asking: AskingHost,
  { token, id: call }: { token: string | undefined; id: string },
): Promise<JoinPlan> {
  const key = await heldKey(shell, reading, asking.fp);
  const node = ownerOf(key, asking);
  const row = await reading.row(nodeRef(node));
  const known = stateOf(row, shell.now());
  const outSince = known?.removedAt ?? (key.key?.state === 'revoked' ? key.key.at : undefined);
  if (known && known.publicKey !== asking.publicKey) throw new Refusal('key-in-use', 'this key was given up; make another one');
  if (known && outSince === undefined) return memberPlan(shell, known, row!, key, asking);
  const pool = await pooledHost(shell, reading, asking.fp);
  const rejectedAt = pool.host?.standing === 'rejected' ? pool.host.rejectedAt : undefined;
  const host: Applicant = { ...asking, node, outSince: outSince ?? rejectedAt };
  const isOut = host.outSince !== undefined;
  const found = byOperator(shell, pool, host) ?? (await byBrought(shell, reading, host, token));
  const admission = await throughGate(shell, reading, found, { known, node, token });
  if (admission && 'denied' in admission) return { changes: [], because: [admission.denied], outcome: { is: 'denied', ...admission } };
  if (admission && 'refusal' in admission) return refusedPlan(admission.refusal, isOut ? [] : await waits(shell, reading, pool, asking));
  if (!admission && isOut) throw removed(asking);
  if (!admission)
    return { changes: await waits(shell, reading, pool, asking), because: ['it waits in the pool'], outcome: { is: 'pooled' } };
  const made = await nodeChanges(shell, reading, { known, row, key, host, admission, call }).catch(nameTaken);
  if (made instanceof Refusal) return refusedPlan(made, await waits(shell, reading, pool, asking));
  return {
    changes: [...made, ...admission.changes, ...leavesPool(shell, pool, asking, admission)],
    because: [`${host.fqdn} is admitted`],
    outcome: { is: 'node', node, zone: known?.zone ?? admission.zone },
  };
}

/**
 * The admission of a host that no operator has admitted: by the token that it brings, else by a rule, unless it was
 * removed or rejected.
 */
const byBrought = async (
  shell: Shell,
  reading: Reading,
  host: Applicant,
  token: string | undefined,
): Promise<Admission | Denied | Unwatched | undefined> => {
  if (token !== undefined) return byToken(shell, reading, token, host);
  return host.outSince === undefined ? byRule(reading, host) : undefined;
};

/** The host is refused, and waits in the pool nevertheless if `changes` put it there: an operator may admit it. */
const refusedPlan = (refusal: Refusal, changes: readonly PlannedChange[]): JoinPlan => ({
  changes,
  because: [refusal.message],
  outcome: { is: 'refused', refusal },
});

/** A host that was admitted by other means than an operator's order leaves the pool, if it waited there. */
const leavesPool = (shell: Shell, pool: HeldHost, { fp }: AskingHost, { changes }: Admission): PlannedChange[] =>
  changes.some(({ ref }) => ref.noun === 'pooled-host') ? [] : poolChange(shell, fp, pool, { type: 'joined' });

/** The refusal of a name that another node has; any other error is rethrown. */
function nameTaken(error: unknown): Refusal {
  if (error instanceof Refusal && error.type === 'fqdn-in-use') return error;
  throw error;
}

/**
 * An admission that holds only if its zone exists when it is committed: a token for a zone that is gone is denied, and
 * a host that was admitted otherwise waits in the pool.
 */
async function throughGate(
  shell: Shell,
  reading: Reading,
  admission: Admission | Denied | Unwatched | undefined,
  { known, node, token }: { readonly known: Node | undefined; readonly node: NodeId; readonly token: string | undefined },
): Promise<Admission | Denied | Unwatched | undefined> {
  if (!admission || 'denied' in admission || 'refusal' in admission) return admission;
  // A node comes back into its own zone: administrators of another zone do not decide that.
  if (known && known.zone !== admission.zone)
    return token === undefined
      ? undefined
      : { denied: `the token is for zone ${admission.zone}, and the node belongs to zone ${known.zone}` };
  const entry = await enteringZone(shell, reading, known?.zone ?? admission.zone, nodeRef(node));
  if ('changes' in entry) return { ...admission, changes: [...admission.changes, ...entry.changes] };
  return token === undefined ? undefined : { denied: entry.shut };
}

/**
 * The node that a key belongs to, or would belong to: the one that it was bound to, else the one that is named after
 * it. Throws a {@link Refusal} for a client system's key.
 */
function ownerOf({ key }: HeldKey, { publicKey }: AskingHost): NodeId {
  if (key?.owner.noun === 'client') throw new Refusal('key-in-use', 'this key belongs to a client system; every machine makes its own');
  return (key?.owner.id as NodeId | undefined) ?? nodeIdOf(publicKey);
}

/** The same key joining again is the same node, under the name that was bound. */
function memberPlan(shell: Shell, node: Node, row: Row, key: HeldKey, { fqdn }: AskingHost): JoinPlan {
  if (node.fqdn !== fqdn)
    throw new Refusal('refused', `this key joined as ${node.fqdn}; a name is bound at join`, {
      errors: [{ pointer: '/fqdn', detail: `bound to ${node.fqdn}` }],
    });
  const bound = bindKey(key, nodeRef(node.id), shell.now());
  const check = {
    ref: nodeRef(node.id as string),
    readRev: row.rev,
    decision: { does: 'nothing', because: 'it joined before' } as const,
  };
  return {
    changes:
      bound.length > 0
        ? [...bound, { ...check, decision: { ...check.decision, ...(row.wakeAt !== undefined && { wakeAt: row.wakeAt }) } }]
        : [],
    because: ['this key has joined already'],
    outcome: { is: 'node', node: node.id, zone: node.zone },
  };
}

type Admitting = {
  readonly known: Node | undefined;
  readonly row: Row | undefined;
  readonly key: HeldKey;
  readonly host: Applicant;
  readonly admission: Admission;
  readonly call: string;
};

/**
 * The rows of a new node, or of one that was removed and is taken back: the node, its name, its key, and the former
 * holder of that name.
 */
async function nodeChanges(
  shell: Shell,
  reading: Reading,
  { known, row, key, host, admission, call }: Admitting,
): Promise<PlannedChange[]> {
  const now = shell.now();
  if (known && known.fqdn !== host.fqdn)
    throw new Refusal('refused', `this key joined as ${known.fqdn}; a name is bound at join`, {
      errors: [{ pointer: '/fqdn', detail: `bound to ${known.fqdn}` }],
    });
  // The gate has read the zone's head: where that has stations, a majority of them lets it in.
  const head = stateOf(await reading.row(zoneRef(admission.zone)), now);
  const waits = head?.stations !== undefined;
  const decision = decide(
    known,
    known ? { type: 'take-back', id: call, watch: host.watch } : joinOf(host, admission, { id: call, waits, services: hadServices(row) }),
    now,
  );
  if (known && decision.does === 'nothing') throw new Refusal('removed', decision.because);
  const wakeAt = decision.does === 'write' ? earlier(row?.wakeAt, decision.wakeAt) : undefined;
  const node = {
    ref: nodeRef(host.node as string),
    readRev: row?.rev ?? 0,
    decision: { ...decision, ...(wakeAt !== undefined && !row?.gone && { wakeAt }) },
  };
  const nameRow = await reading.row(fqdnRef(host.fqdn));
  const holder = stateOf(nameRow, now)?.node;
  const replaced =
    holder && holder !== host.node
      ? await takeOver(reading, { holder, by: host.node, zone: known?.zone ?? admission.zone }, { type: 'drop', id: call }, now)
      : [];
  const name = {
    ref: fqdnRef(host.fqdn as string),
    readRev: nameRow?.rev ?? 0,
    decision: write({ node: host.node }, `node ${host.node} joined under this name`),
  };
  return [node, name, ...keyChanges(key, host, now), ...replaced];
}

const joinOf = (
  { node, publicKey, fqdn, watch, capacity }: Applicant,
  { zone, kind, replaces }: Admission,
  { id, waits, services }: { readonly id: string; readonly waits: boolean; readonly services: boolean },
): JoinCommand => ({
  type: 'join',
  id,
  node,
  publicKey,
  fqdn,
  watch,
  zone,
  kind,
  ...(replaces !== undefined && { replaces }),
  ...(capacity !== undefined && { capacity }),
  ...(waits && { waits }),
  ...(services && { services }),
});

/**
 * Whether services were placed on a node of this id that was given up before its first node-up: until a tick ends them
 * they remain, and belong to the new node.
 */
const hadServices = (row: Row | undefined): boolean => row?.gone === true && (row.body as Node).services === true;

/** A key that was revoked with its node is bound to it again; any other is bound now. */
function keyChanges(held: HeldKey, { node }: Applicant, now: EpochMs): PlannedChange[] {
  const isRevoked = held.key?.state === 'revoked';
  return bindKey(isRevoked ? { ...held, key: undefined } : held, nodeRef(node), now);
}
