import type { Fault, Unchecked } from '../core/check.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { type EpochMs, plusMs } from '../core/time.ts';
import type { Node, NodeStatus } from '../nodes/node.ts';
import { isSameConfiguration } from './differs.ts';
import { dueAt, moved, started, unregistered } from './move.ts';
import { waiting } from './on-answer.ts';
import type { ServiceSchema, ServiceType } from './rows/service-type.ts';
import { type Ask, askedForMs, asksBytesMax, asksMax, type NameHolder, type Service } from './service.ts';
import { type Known, type Refused, refused, unfit } from './verdict.ts';

/** What became of an order to start: it was, it ran already, or it is being tried. */
export type StartAnswer = 'started' | 'already running' | 'attempting';

/**
 * What an order to start a service rests on. `formerly` is what its row was when it was last registered, if it ever
 * was.
 */
export type StartGround = Known & {
  readonly service: Service | undefined;
  readonly formerly: Service | undefined;
  readonly type: ServiceType;
  readonly schema: ServiceSchema;
  readonly node: Node;
  readonly holder: NameHolder | undefined;
  /** As JSON text; undefined where the operator gave none: what it was to run with, or what its type says. */
  readonly configuration: string | undefined;
  /** What {@link startedWith} names by the relations of its type, and cannot be counted on. */
  readonly missing?: readonly Fault[];
};

/** What a service is started with, as JSON text. */
export const startedWith = ({ configuration, service, type }: Pick<StartGround, 'configuration' | 'service' | 'type'>): string =>
  configuration ?? service?.configuration ?? type.configuration;

/** Whose agent is heard, or was a moment ago: what is ordered elsewhere is kept until the node is back. */
const heard: readonly NodeStatus[] = ['joining', 'up', 'suspect', 'leaving', 'quarantined'];
/** What Muster starts by itself, and nobody else. */
const ownWork: readonly string[] = ['recovery-supervisor', 'recovery-coordinator', 'rule'];

/** Has a service run on a node: registered if it was not, and under a new instance if it does not run. */
export function orderStart(
  ground: StartGround,
  now: EpochMs,
): (Decision<Service> & { readonly answer: StartAnswer }) | Refused | Unchecked {
  const { service, type, node, holder } = ground;
  const because = whyNot(ground);
  if (because !== undefined) return refused('refused', because);
  const { state, retryAt } = service ?? {};
  if (service && !service.stopping) {
    if (state!.is === 'online') return { ...nothing(`${type.name} runs on ${node.fqdn} already`), answer: 'already running' };
    if (state!.is === 'starting' || retryAt !== undefined) return { ...nothing(attemptingBecause(service, node)), answer: 'attempting' };
  }
  if (holder && holder.type !== type.name)
    return refused('name-taken', `${node.fqdn} has a service ${type.serviceName} already: ${holder.type} holds the name`);
  const configuration = startedWith(ground);
  const obstacle = unfit(type.name, ground, configured(ground, configuration)) ?? neededMissing(ground);
  if (obstacle) return obstacle;
  const said = `${type.name} is to run on ${node.fqdn}, as an operator says${heard.includes(node.status) ? '' : `: ${keptBecause(node)}`}`;
  const also = { ...ofNewOrder, configuration, limits: limitsOf(type) };
  const decision = started(service ?? registeredNow(ground, configuration, now), { because: said, also }, now);
  return { ...decision, answer: 'started' };
}

/** What is checked of a configuration, and what it is called where it has faults. */
const configured = ({ type, schema }: Pick<StartGround, 'type' | 'schema'>, configuration: string): Parameters<typeof unfit>[2] => ({
  check: { schema: schema.configuration, data: configuration },
  otherwise: ['configuration-invalid', `the configuration is not one of ${type.name}`],
});

/** What a service needs by the relations of its type must be there when it is ordered. */
const neededMissing = ({ type, missing = [] }: Pick<StartGround, 'type' | 'missing'>): Refused | undefined =>
  missing.length === 0 ? undefined : refused('configuration-invalid', `what ${type.name} is to need is not there`, missing);

/** What keeps a service from being started by hand at all. */
function whyNot({ type, node }: StartGround): string | undefined {
  const { program } = type;
  if (program.is === 'built-in' && ownWork.includes(program.does)) return `${type.name} is started by Muster itself`;
  if (node.status === 'dropped' || node.removedAt !== undefined || node.replacedBy) return `node ${node.fqdn} was given up`;
  return undefined;
}

const keptBecause = ({ status }: Node): string => `its node is ${status}, and it begins when that is back`;
const attemptingBecause = ({ type, state, attempts = 0 }: Service, node: Node): string =>
  `${type} ${state.is === 'failed' ? `has failed (${state.reason}) and is started again` : 'is being started'}${
    attempts > 0 ? `, attempt ${attempts}` : ''
  }${heard.includes(node.status) ? '' : `: ${keptBecause(node)}`}`;

/** With an order it may be tried, and restored, as often as at first. */
const ofNewOrder = { attempts: 0, restored: 0 } as const;

const limitsOf = ({ startMs, stopMs, askMs }: ServiceType): Service['limits'] => ({ startMs, stopMs, askMs });

/** A service that was not registered: no instance of it was ever called as its first one will be. */
export function registeredNow(
  { type, node, formerly }: Pick<StartGround, 'type' | 'node' | 'formerly'>,
  configuration: string,
  now: EpochMs,
): Service {
  const registered = formerly && formerly.registered >= now ? plusMs(formerly.registered, 1) : now;
  return {
    type: type.name,
    name: type.serviceName,
    node: node.id,
    host: node.fqdn,
    zone: node.zone,
    registered,
    start: 0,
    configuration,
    state: { is: 'offline' },
    since: now,
    resources: [],
    asks: [],
    results: [],
    limits: limitsOf(type),
  };
}

/**
 * Has a service stopped, and registered no more once it has. One that failed goes at once; its agent stops what may be
 * left of it.
 */
export function orderStop(
  service: Service | undefined,
  { type, host }: { readonly type: string; readonly host: string },
  now: EpochMs,
): Decision<Service> {
  if (!service) return nothing(`${type} is not registered on ${host}: there is nothing to stop`);
  const because = `${type} is to stop on ${host}, as an operator says`;
  if (service.state.is === 'failed') return unregistered(service, because);
  if (service.stopping) return nothing(`${type} is being stopped already`);
  const { retryAt: _due, ...rest } = service;
  const next: Service = { ...rest, stopping: true };
  // One that is about to end by itself has its time anew, and is not started again.
  return moved(next, 'stopping', { because }, now) ?? write<Service, never>(next, because, { wakeAt: dueAt(next) });
}

/** Has a service run with another configuration: it is started again with that. The same one changes nothing. */
export function orderReconfigure(
  service: Service | undefined,
  ground: Pick<StartGround, 'type' | 'schema' | 'missing'> & Known & { readonly configuration: string },
  now: EpochMs,
): Decision<Service> | Refused | Unchecked {
  const { type, configuration } = ground;
  if (!service) return refused('service-not-running', `${type.name} does not run there: start it with that configuration`);
  if (service.stopping) return refused('service-not-running', `${type.name} is being stopped`);
  const obstacle = unfit(type.name, ground, configured(ground, configuration)) ?? neededMissing(ground);
  if (obstacle) return obstacle;
  if (isSameConfiguration(service.configuration, configuration) && !service.drift)
    return nothing(`${type.name} has this configuration already`);
  const because = `${type.name} is to run with another configuration, as an operator says`;
  return started(service, { because, also: { ...ofNewOrder, configuration, limits: limitsOf(type) } }, now);
}

/** What is asked of a service: how it is, what there is to say of it, or what one of its messages is about. */
export type Question = Pick<Ask, 'id' | 'what' | 'message' | 'data'>;

/** What of its type a question rests on. */
type Asked = Pick<ServiceType, 'name' | 'messages'>;

/** Has a service asked; the answer stands in its results. */
export function orderAsk(
  service: Service | undefined,
  {
    type,
    node,
    ask,
    ...known
  }: Known & {
    readonly type: Asked;
    readonly node: Pick<Node, 'status' | 'fqdn'>;
    readonly ask: Question;
  },
  now: EpochMs,
): (Decision<Service> & { readonly until?: EpochMs }) | Refused | Unchecked {
  if (!service) return refused('service-not-running', `${type.name} is not registered on ${node.fqdn}`);
  const obstacle = ask.what === 'message' ? unfitMessage(type, ask, known) : undefined;
  if (obstacle) return obstacle;
  const { is } = service.state;
  if (is !== 'online' && is !== 'starting') return refused('service-not-running', `${type.name} is ${is}: it answers nobody`);
  if (!heard.includes(node.status)) return refused('service-not-running', `node ${node.fqdn} is ${node.status}: nobody there answers`);
  const asks = waiting(service.asks, now);
  const bytes = [...asks, ask].reduce((sum, { data = '' }) => sum + Buffer.byteLength(data), 0);
  if (asks.length >= asksMax || bytes > asksBytesMax)
    return refused('not-yet', `${asks.length} questions wait for an answer, and there is no room for more`);
  const until = plusMs(now, service.limits.askMs + askedForMs);
  const next: Service = { ...service, asks: [...asks, { ...ask, until }] };
  return { ...write<Service, never>(next, `${type.name} is asked: ${ask.message ?? ask.what}`, { wakeAt: dueAt(next) }), until };
}

function unfitMessage(type: Asked, { message, data = 'null' }: Question, known: Known): Refused | Unchecked | undefined {
  const declared = type.messages.find(({ name }) => name === message);
  const names = type.messages.map(({ name }) => name).join(', ');
  if (!declared) return refused('unknown-message', `${type.name} understands ${names === '' ? 'no messages' : names}, and no ${message}`);
  const check = { schema: declared.data, data };
  return unfit(type.name, known, { check, otherwise: ['invalid', `the data is not that of a ${message}`] });
}
