import type { Digest, HostFacts, Load } from '../../events/reported/node.ts';
import { retryAfterMsOf } from '../../lib/api/backoff.ts';
import { type Answered, type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { problemTypeOf } from '../../lib/api/problem.ts';
import type { Fqdn, NodeId } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';
import type { AdoptionWanted } from './adoption/wanted.ts';
import type { AskedBearing } from './bearing.ts';
import type { Contact } from './contact.ts';
import type { Action } from './decide.ts';
import type { Input } from './hear.ts';
import type { Workloads } from './kept.ts';
import type { AgentBoot, NodeKind } from './ledger.ts';
import type { NodeReport } from './state.ts';
import type { SiteCoordinator } from './station/coordinator.ts';
import type { StationKeeper } from './station/keeper.ts';
import type { ListAnswer } from './systems.ts';
import type { Traces } from './traces.ts';
import type { ActionKeeper } from './uyuni/actions/keeper.ts';
import type { SeatHere } from './uyuni/cluster-mode/seat.ts';
import type { ContentWanted } from './uyuni/content/wanted.ts';

/** What an agent reports of its node when it joins. */
export type Self = {
  readonly fqdn: Fqdn;
  readonly kind: NodeKind;
  readonly boot: AgentBoot;
  readonly zone?: string;
  readonly watch?: string;
  readonly capacity?: number;
};

/** What the calls need besides the action: the host as it is now, and where lists go. */
export type Calling = {
  readonly api: ApiClient;
  readonly self: Self;
  readonly signal: AbortSignal;
  /** The key that the calls are signed by. */
  publicKey(): string;
  /** The join token, if the host was given one; read when the agent joins, and not stored. */
  token(): string | undefined;
  facts(): HostFacts;
  load(): Load;
  /**
   * The digest of the client systems seen now, and whether some of them are not on the list; undefined without a list
   * or without a source of what is seen.
   */
  digest(): { digest: Digest; unlisted: boolean } | undefined;
  /**
   * Stores an answer to a read of the list since a version. Gives how many client systems the list has then; undefined
   * when that version is gone.
   */
  takeList(answer: ListAnswer & { readonly since: number | undefined; readonly mapVersion: number }): number | undefined;
  /** Keeps processes and services on this host: it reports what runs, and takes what should run. */
  readonly workloads: Workloads;
  /** Looks for the other nodes where this one is a station of its zone. */
  readonly station: StationKeeper | undefined;
  /** Writes traces of the agent, as Muster's desired state asks for them. */
  readonly traces?: Traces | undefined;
  /** Takes whether this host is the seat of its zone. */
  readonly seat?: Pick<SeatHere, 'askedAt' | 'desired'> | undefined;
  /** Takes the order about the common content of its server. */
  readonly content?: Pick<ContentWanted, 'desired'> | undefined;
  /** Takes the order to offer the systems of this host for adoption. */
  readonly adoption?: AdoptionWanted | undefined;
  /** Takes the orders to act on client systems. */
  readonly actions?: Pick<ActionKeeper, 'desired'> | undefined;
  /** Acts on site where this node is the coordinator. */
  readonly coordinator: SiteCoordinator | undefined;
  /** When Muster answered last. */
  readonly contact: Contact | undefined;
  /** How the node bears the client systems that it accepts, if its software is measured. */
  readonly bearing?: AskedBearing | undefined;
  newId(): string;
  now(): EpochMs;
  random(): number;
};

/** An action that is a call. */
export type CallAction = Extract<Action, { do: 'join' | 'up' | 'heartbeat' | 'read-desired' | 'read-systems' | 'report' }>;

/** Makes one call and gives its outcome as an input; never rejects because Muster is unreachable. */
export async function call(action: CallAction, node: NodeId | undefined, calling: Calling): Promise<Input> {
  try {
    return await made(action, node, calling);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { type: 'unreachable', call: action.do, why: error.message, random: calling.random() };
  }
}

async function made(action: CallAction, id: NodeId | undefined, calling: Calling): Promise<Input> {
  if (action.do === 'join') return join(calling);
  if (id === undefined) throw new Error(`${action.do} before the agent has joined`);
  switch (action.do) {
    case 'up':
      return up(action, id, calling);
    case 'heartbeat':
      return heartbeat(action, id, calling);
    case 'read-desired':
      return readDesired(action, id, calling);
    case 'read-systems':
      return readSystems(action, id, calling);
    case 'report':
      return report(action, id, calling);
  }
}

async function join(calling: Calling): Promise<Input> {
  const { fqdn, kind, zone, watch, capacity } = calling.self;
  const token = calling.token();
  const body = {
    ...(token !== undefined && { token }),
    publicKey: calling.publicKey(),
    fqdn,
    kind,
    ...(zone !== undefined && { zone }),
    ...(watch !== undefined && { watch }),
    ...(capacity !== undefined && { capacity }),
  };
  const answer = await calling.api(nodeRoutes.join, { body, signal: calling.signal });
  if (!answer.ok) return refusal('join', answer, calling);
  return 'pooled' in answer.body ? { type: 'pooled', ...answer.body } : { type: 'joined', ...answer.body };
}

async function up({ flushed }: Extract<CallAction, { do: 'up' }>, id: NodeId, calling: Calling): Promise<Input> {
  const { newId, self, facts, workloads } = calling;
  const table = workloads.table();
  const body = { id: newId(), boot: self.boot, facts: facts(), ...(flushed !== undefined && { flushed }), ...(table && { table }) };
  const answer = await calling.api(nodeRoutes.up, { params: { id }, body, signal: calling.signal });
  if (!answer.ok) return refusal('up', answer, calling);
  const { acknowledged, ...rest } = answer.body;
  if (acknowledged) workloads.acknowledged();
  return acknowledged
    ? { type: 'acknowledged', ...(rest as { incarnation: number; generation: number; nextMs: number }) }
    : { type: 'not-acknowledged', ...(rest as { waits?: 'readmission'; nextMs: number }) };
}

async function heartbeat(
  { incarnation, seq, digest }: Extract<CallAction, { do: 'heartbeat' }>,
  id: NodeId,
  calling: Calling,
): Promise<Input> {
  const seen = digest ? calling.digest() : undefined;
  const tableHash = calling.workloads.hash();
  const hears = calling.station?.hears();
  const bearing = calling.bearing?.next();
  const optional = {
    ...(seen && { digest: seen.digest }),
    ...(hears && { hears }),
    ...(tableHash !== undefined && { tableHash }),
    ...(bearing && { bearing }),
  };
  const body = { id: calling.newId(), incarnation, seq, load: calling.load(), ...optional };
  const { contact, coordinator } = calling;
  const [sentAt, rightFrom] = [contact?.sentAt() ?? [], coordinator?.sentAt() ?? []];
  const answer = await calling.api(nodeRoutes.heartbeat, { params: { id }, body, signal: calling.signal });
  if (!answer.ok) {
    // A throttled call, or one that Muster failed to answer, does not mean that this is no longer a node.
    if (answer.status < 500 && answer.status !== 429) contact?.refused();
    return refusal('heartbeat', answer, calling);
  }
  contact?.answered(sentAt);
  calling.bearing?.answered(answer.body.bearing === true);
  calling.workloads.heard(answer.body.resync);
  coordinator?.answered(answer.body.station, rightFrom);
  return { type: 'beaten', ...answer.body, unlisted: seen?.unlisted ?? false };
}

async function readDesired({ rev }: Extract<CallAction, { do: 'read-desired' }>, id: NodeId, calling: Calling): Promise<Input> {
  const askedAt = calling.seat?.askedAt();
  const answer = await calling.api(nodeRoutes.desired, {
    params: { id },
    headers: { 'if-none-match': `"${rev}"` },
    signal: calling.signal,
  });
  if (!answer.ok) return refusal('read-desired', answer, calling);
  if (answer.status === 304) return { type: 'desired-same' };
  const newRev = Number(answer.headers.get('etag')?.replaceAll('"', ''));
  calling.workloads.desired(newRev, answer.body);
  calling.station?.desired(answer.body.station);
  calling.traces?.desired(answer.body.traces);
  calling.adoption?.desired(answer.body.adopt);
  calling.content?.desired(answer.body);
  calling.actions?.desired(answer.body.act);
  if (askedAt) calling.seat?.desired(answer.body.seat, askedAt, answer.headers.get('date'));
  return { type: 'desired', rev: newRev, release: answer.body.release };
}

async function readSystems(
  { since, mapVersion }: Extract<CallAction, { do: 'read-systems' }>,
  id: NodeId,
  calling: Calling,
): Promise<Input> {
  const answer = await calling.api(nodeRoutes.systems, {
    params: { id },
    query: since === undefined ? {} : { since },
    signal: calling.signal,
  });
  if (!answer.ok) return refusal('read-systems', answer, calling);
  const systems = calling.takeList({ ...answer.body, since, mapVersion });
  if (systems === undefined)
    return { type: 'unreachable', call: 'read-systems', why: 'the list was flushed meanwhile', random: calling.random() };
  return { type: 'listed', version: answer.body.version, mapVersion, systems };
}

async function report({ incarnation, reports }: Extract<CallAction, { do: 'report' }>, id: NodeId, calling: Calling): Promise<Input> {
  const answer = await calling.api(nodeRoutes.events, {
    params: { id },
    body: reports.map((one) => eventOf(one, incarnation, calling)),
    signal: calling.signal,
  });
  return answer.ok ? { type: 'reported', reports } : refusal('report', answer, calling);
}

/** A report as it is sent: its id joins the boot's id and its own number, so that Muster recognizes a repeat. */
function eventOf(report: NodeReport, incarnation: number, { self, now }: Calling) {
  const rest = { id: `${self.boot.id}-${report.n}`, version: 1, incarnation, at: now() } as const;
  return report.type === 'node.ready'
    ? { ...rest, type: report.type, data: {} }
    : { ...rest, type: report.type, data: { mapVersion: report.mapVersion } };
}

type RefusedAnswer = Extract<Answered<never>, { ok: false }>;

function refusal(call: CallAction['do'], { status, headers, problem }: RefusedAnswer, { random }: Calling): Input {
  const generation = headers.get('muster-generation');
  return {
    type: 'refused',
    call,
    problem: problemTypeOf(problem),
    status,
    detail: problem.detail,
    retryAfterMs: retryAfterMsOf(headers),
    ...(generation !== null && { generation: Number(generation) }),
    random: random(),
  };
}
