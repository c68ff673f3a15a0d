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

/** The result of an order to start a service: it was started, it runs already, or a start is under way. */
export type StartAnswer = 'started' | 'already running' | 'attempting';

/** The context of an order to start a service. `formerly` is its row as it was last registered, if it ever was. */
export type StartGround = Known & {
  readonly service: Service | undefined;
  readonly formerly: Service | undefined;
  readonly type: ServiceType;
  readonly schema: ServiceSchema;
  readonly node: Node;
  readonly holder: NameHolder | undefined;
  /**
   * As JSON text. Undefined where the operator gave none: the present configuration of the service applies, or else
   * that of its type.
   */
  readonly configuration: string | undefined;
  /** The services that {@link startedWith} names by the relations of its type and that are not available. */
  readonly missing?: readonly Fault[];
};

/** The configuration that a service is started with, as JSON text. */
export const startedWith = ({ configuration, service, type }: Pick<StartGround, 'configuration' | 'service' | 'type'>): string =>
  configuration ?? service?.configuration ?? type.configuration;

/**
 * The statuses of nodes whose agent is heard, or was a moment ago. On any other node an order waits until the node is
 * back.
 */
const heard: readonly NodeStatus[] = ['joining', 'up', 'suspect', 'leaving', 'quarantined'];
/** The programs that only Muster itself starts. */
const ownWork: readonly string[] = ['recovery-supervisor', 'recovery-coordinator', 'rule'];

/** Orders a service to run on a node. It is registered if it was not, and gets a new instance if it does not run. */
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
  const cause = `an operator ordered ${type.name} to run on ${node.fqdn}${heard.includes(node.status) ? '' : `: ${waitsBecause(node)}`}`;
  const also = { ...ofNewOrder, configuration, limits: limitsOf(type) };
  const decision = started(service ?? registeredNow(ground, configuration, now), { because: cause, also }, now);
  return { ...decision, answer: 'started' };
}

/** The check of a configuration, and the problem to report where it finds faults. */
const configured = ({ type, schema }: Pick<StartGround, 'type' | 'schema'>, configuration: string): Parameters<typeof unfit>[2] => ({
  check: { schema: schema.configuration, data: configuration },
  otherwise: ['configuration-invalid', `the configuration does not fit the schema of ${type.name}`],
});

/** Refuses an order if a service that is needed by the relations of the type is missing. */
const neededMissing = ({ type, missing = [] }: Pick<StartGround, 'type' | 'missing'>): Refused | undefined =>
  missing.length === 0 ? undefined : refused('configuration-invalid', `${type.name} needs services that are missing`, missing);

/** Why an operator cannot start a service at all; undefined where one can. */
function whyNot({ type, node }: StartGround): string | undefined {
  const { program } = type;
  if (program.is === 'built-in' && ownWork.includes(program.does)) return `${type.name} is started by Muster itself`;
  if (node.status === 'dropped' || node.removedAt !== undefined || node.replacedBy) return `node ${node.fqdn} was given up`;
  return undefined;
}

const waitsBecause = ({ status }: Node): string => `its node is ${status}, and the order waits until it is back`;
const attemptingBecause = ({ type, state, attempts = 0 }: Service, node: Node): string =>
  `${type} ${state.is === 'failed' ? `has failed (${state.reason}) and is being restarted` : 'is being started'}${
    attempts > 0 ? `, attempt ${attempts}` : ''
  }${heard.includes(node.status) ? '' : `: ${waitsBecause(node)}`}`;

/** A new order resets the numbers of attempts and of restored configurations. */
const ofNewOrder = { attempts: 0, restored: 0 } as const;

const limitsOf = ({ startMs, stopMs, askMs }: ServiceType): Service['limits'] => ({ startMs, stopMs, askMs });

/** A newly registered service. No earlier instance ever had the name of its first instance. */
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
 * Orders a service to stop. It is unregistered once it has stopped. A failed service is unregistered at once, and its
 * agent stops what may still run of it.
 */
export function orderStop(
  service: Service | undefined,
  { type, host }: { readonly type: string; readonly host: string },
  now: EpochMs,
): Decision<Service> {
  if (!service) return nothing(`${type} is not registered on ${host}: there is nothing to stop`);
  const because = `an operator ordered ${type} to stop on ${host}`;
  if (service.state.is === 'failed') return unregistered(service, because);
  if (service.stopping) return nothing(`${type} is being stopped already`);
  const { retryAt: _due, ...rest } = service;
  const next: Service = { ...rest, stopping: true };
  // A service that is about to end by itself gets a new time limit, and is not restarted.
  return moved(next, 'stopping', { because }, now) ?? write<Service, never>(next, because, { wakeAt: dueAt(next) });
}

/**
 * Orders a service to run with another configuration: it is restarted with that. The same configuration changes
 * nothing.
 */
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
  const because = `an operator ordered another configuration for ${type.name}`;
  return started(service, { because, also: { ...ofNewOrder, configuration, limits: limitsOf(type) } }, now);
}

/** A question to a service: a check, a request for its status, or one of its messages. */
export type Question = Pick<Ask, 'id' | 'what' | 'message' | 'data'>;

/** The fields of a type that a question needs. */
type Asked = Pick<ServiceType, 'name' | 'messages'>;

/** Sends a question to a service. The answer appears in its results. */
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
  if (is !== 'online' && is !== 'starting') return refused('service-not-running', `${type.name} is ${is}: it cannot answer`);
  if (!heard.includes(node.status)) return refused('service-not-running', `node ${node.fqdn} is ${node.status}: its agent cannot answer`);
  const questions = waiting(service.asks, now);
  const bytes = [...questions, ask].reduce((sum, { data = '' }) => sum + Buffer.byteLength(data), 0);
  if (questions.length >= asksMax || bytes > asksBytesMax)
    return refused('not-yet', `${questions.length} questions wait for an answer, and there is no room for more`);
  const until = plusMs(now, service.limits.askMs + askedForMs);
  const next: Service = { ...service, asks: [...questions, { ...ask, until }] };
  return { ...write<Service, never>(next, `${type.name} is asked: ${ask.message ?? ask.what}`, { wakeAt: dueAt(next) }), until };
}

function unfitMessage(type: Asked, { message, data = 'null' }: Question, known: Known): Refused | Unchecked | undefined {
  const declared = type.messages.find(({ name }) => name === message);
  const names = type.messages.map(({ name }) => name).join(', ');
  if (!declared)
    return refused('unknown-message', `${type.name} has no message ${message}: it understands ${names === '' ? 'none' : names}`);
  const check = { schema: declared.data, data };
  return unfit(type.name, known, { check, otherwise: ['invalid', `the data does not fit the message ${message}`] });
}
