import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { Fault } from '../../core/check.ts';
import { type Decision, nothing, type PlannedChange, write } from '../../core/decision.ts';
import type { ServiceTypeName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import type { Row } from '../../ports/table/table.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNodeIn } from '../../zones/reads/found.ts';
import { judgeFor } from '../changes/judged.ts';
import { applyService, planService, type ServicePlan } from '../changes/reports.ts';
import { orderAsk, orderReconfigure, orderStart, orderStop, type Question, startedWith } from '../orders.ts';
import { typeIn } from '../reads/catalogue.ts';
import { relatedIn } from '../reads/related.ts';
import { missingOf, namedBy, runsWith } from '../relations.ts';
import { isOwnWork } from '../rows/own-work.ts';
import { maskedConfiguration } from '../rows/secrets.ts';
import { type ServiceTypes, typesRef } from '../rows/service-type.ts';
import { instanceOf, nameRef, type Service, serviceRef } from '../service.ts';
import type { CataloguedType } from '../types.ts';
import { type Known, type Refused, shutOutOf } from '../verdict.ts';
import { audited, needsExecute } from './may-execute.ts';
import { refusal } from './refusal.ts';
import { withSecrets } from './stored-secrets.ts';

/**
 * The context of an order about a service at the time that it is carried out: its node, its row, and the rows that are
 * read beside it.
 */
type Ground = {
  readonly node: Node;
  readonly nodeRow: Row;
  readonly typesRow: Row | undefined;
  readonly row: Row | undefined;
  readonly service: Service | undefined;
  readonly now: EpochMs;
  /** Other rows that must be unchanged when the order is carried out: those of the services that it names. */
  readonly rests: PlannedChange[];
};
type Order = { readonly zone: string; readonly type: ServiceTypeName; readonly node: string; readonly id: string };
type Outcome = Decision<Service> | Refused;
/** A plan of an order, and the service after it; undefined where the service is no longer registered. */
type Ordered<O> = ServicePlan & { readonly outcome: O; readonly after: Service | undefined; readonly ground: Ground };

/** Carries out an order about a service of a node in one commit with all rows that change with it. */
async function ordered<O extends Outcome>(
  shell: Shell,
  order: Order,
  decide: (ground: Ground, reading: Reading) => Promise<O> | O,
): Promise<Ordered<Exclude<O, Refused>>> {
  return applyService(shell, { id: order.id }, async (reading): Promise<Ordered<Exclude<O, Refused>>> => {
    const ground = await groundOf(shell, reading, order);
    const outcome = await decide(ground, reading);
    if (outcome.does === 'refuse') throw refusal(outcome);
    const decision = outcome as Exclude<O, Refused> & Decision<Service>;
    const { row, service, node, now } = ground;
    const plan = await planService(reading, { ref: serviceRef({ node: node.id, type: order.type }), row }, decision, now);
    const after = decision.does === 'write' ? decision.next : decision.does === 'remove' ? undefined : service;
    const also = plan.changes.length === 0 ? [] : [...beside(ground, order), ...ground.rests];
    return { ...plan, changes: [...plan.changes, ...also], outcome: decision, after, ground };
  });
}

async function groundOf(shell: Shell, reading: Reading, { zone, type, node: id }: Order): Promise<Ground> {
  const refs = [nodeRef(id), typesRef(zone), serviceRef({ node: id, type })];
  const [nodeRow, typesRow, row] = await reading.rows(refs);
  const now = shell.now();
  const node = stateOf<Node>(nodeRow, now);
  if (node?.zone !== zone) throw new Refusal('unknown-node', `no node ${id} is in zone ${zone}`);
  return { node, nodeRow: nodeRow!, typesRow, row, service: stateOf<Service>(row, now), now, rests: [] };
}

/** The type that an order is about. Throws a {@link Refusal} where the zone has no such type. */
function typed({ node, typesRow, now }: Ground, type: ServiceTypeName): CataloguedType {
  const found = typeIn(stateOf<ServiceTypes>(typesRow, now), type);
  if (!found) throw new Refusal('unknown-service-type', `zone ${node.zone} has no type of service ${type}`);
  return found;
}

/** Since when the type of an order is shut out, if it is. */
const outOf = ({ typesRow, now }: Ground, type: ServiceTypeName): Known['shutOut'] => shutOutOf(stateOf<ServiceTypes>(typesRow, now), type);

/**
 * The rows that an order checks: its node, which may be given up meanwhile, and its type must be unchanged. With its
 * first service a node is marked as one that has services.
 */
function beside({ node, nodeRow, typesRow }: Ground, { zone, type }: Order): PlannedChange[] {
  const ref = nodeRef(node.id);
  const marked = write<Node, never>({ ...node, services: true }, `${type} was started there`);
  return [
    node.services ? { ref, readRev: nodeRow.rev, decision: nothing('the node is there') } : changeOfRow(ref, nodeRow, marked),
    { ref: typesRef(zone), readRev: typesRow?.rev ?? 0, decision: nothing('the type is there') },
  ];
}

/**
 * A fault for each service that the configuration of an order names and that is missing. The others must still be there
 * when the order is carried out.
 */
async function missing(
  ground: Ground,
  reading: Reading,
  { schema, type }: CataloguedType,
  configuration: string,
): Promise<readonly Fault[]> {
  const { named, faults } = namedBy(schema, configuration);
  const related = await relatedIn(reading, ground.node.zone, named, ground.now);
  const own = serviceRef({ node: ground.node.id, type: type.name }).id;
  const rests = new Map(related.flatMap(({ ref, row }) => (ref && ref.id !== own ? [[ref.id, { ref, row }] as const] : [])));
  ground.rests.push(
    ...[...rests.values()].map(({ ref, row }) => ({ ref, readRev: row?.rev ?? 0, decision: nothing('the needed service is there') })),
  );
  return [...faults, ...missingOf(related)];
}

type Orders = 'startService' | 'stopService' | 'reconfigureService' | 'checkService' | 'statusService' | 'sendService';

/**
 * The order of a call, with its zone and its node. Throws a {@link Refusal} where there is none such for the caller.
 */
async function orderOf({ params, body, request, caller }: AdminCall<Orders>, shell: Shell): Promise<Order> {
  const node = await foundNodeIn(shell, params.zone, body.node, caller);
  return { ...params, node: node.id, id: request.id };
}

const summaryOf = (service: Service) => ({
  type: service.type,
  node: service.node,
  host: service.host,
  instance: instanceOf(service),
  state: service.state.is,
});

/** Starts a service on a node. */
export const startService = audited('startService', async (call, shell): Promise<Answer> => {
  const { configuration } = call.body;
  const text = configuration && JSON.stringify(configuration);
  const order = await orderOf(call, shell);
  const judge = judgeFor(shell, call.caller, order);
  const {
    outcome,
    after,
    ground: there,
  } = await ordered(shell, order, async (ground, reading) => {
    const { node, service, row, typesRow, now } = ground;
    const { type, schema } = typed(ground, call.params.type);
    needsExecute(call.caller, node.zone, type);
    if (node.vouched)
      throw new Refusal('refused', `another system vouches for ${node.fqdn}: services run only on nodes with an agent (--vouched off)`);
    if (stateOf<ServiceTypes>(typesRow, now)?.closed?.includes(type.name))
      throw new Refusal('refused', `type ${type.name} is being deleted: put it again to keep it`);
    const holder = stateOf(await reading.row(nameRef({ node: node.id, name: type.serviceName })), now);
    const formerly = row?.body as Service | undefined;
    const configuration = text && withSecrets({ type, schema }, text, service?.configuration ?? type.configuration, service?.drift);
    const given = { node, type, schema, service, holder, formerly, configuration, shutOut: outOf(ground, type.name) };
    const lacks = await missing(ground, reading, typed(ground, type.name), startedWith(given));
    return judge((verdict) => orderStart({ ...given, missing: lacks, verdict }, now));
  });
  const body = {
    answer: outcome.answer,
    because: outcome.because,
    service: summaryOf(after!),
    configuration: maskedConfiguration(typed(there, call.params.type).schema.configuration, runsWith(after!)),
  };
  return { status: outcome.answer === 'started' ? 201 : 200, body };
});

const answered = ({ outcome, after }: Ordered<Decision<Service>>): Answer => ({
  status: 202,
  body: { done: outcome.does !== 'nothing', because: outcome.because, ...(after && { service: summaryOf(after) }) },
});

/** Stops a service on a node, even if its type no longer exists. */
export const stopService = async (call: AdminCall<'stopService'>, shell: Shell): Promise<Answer> => {
  const { type } = call.params;
  return answered(
    await ordered(shell, await orderOf(call, shell), (ground) => {
      const { service, node, now } = ground;
      if (!service) typed(ground, type);
      if (isOwnWork(type)) throw new Refusal('refused', `${type} is started and stopped by Muster itself`);
      return orderStop(service, { type, host: node.fqdn }, now);
    }),
  );
};

/** Changes the configuration of a service. */
export const reconfigureService = audited('reconfigureService', async (call, shell): Promise<Answer> => {
  const text = JSON.stringify(call.body.configuration);
  const order = await orderOf(call, shell);
  const judge = judgeFor(shell, call.caller, order);
  return answered(
    await ordered(shell, order, async (ground, reading) => {
      const { type, schema } = typed(ground, order.type);
      needsExecute(call.caller, ground.node.zone, type);
      const configuration = withSecrets({ type, schema }, text, ground.service?.configuration, ground.service?.drift);
      const lacks = await missing(ground, reading, typed(ground, order.type), configuration);
      const given = { type, schema, configuration, missing: lacks, shutOut: outOf(ground, order.type) };
      return judge((verdict) => orderReconfigure(ground.service, { ...given, verdict }, ground.now));
    }),
  );
});

async function asked(
  call: AdminCall<'checkService' | 'statusService' | 'sendService'>,
  shell: Shell,
  question: Omit<Question, 'id'>,
): Promise<Answer> {
  const order = await orderOf(call, shell);
  const ask: Question = { ...question, id: order.id };
  const judge = judgeFor(shell, call.caller, order);
  const { outcome, after, ground } = await ordered(shell, order, (ground) => {
    const { type } = typed(ground, order.type);
    if (ask.what === 'message') needsExecute(call.caller, ground.node.zone, type);
    const given = { type, node: ground.node, ask, shutOut: outOf(ground, order.type) };
    return judge((verdict) => orderAsk(ground.service, { ...given, verdict }, ground.now));
  });
  const waited = { until: new Date(outcome.until!).toISOString(), waitMs: outcome.until! - ground.now };
  return { status: 202, body: { ask: ask.id, ...waited, because: outcome.because, service: summaryOf(after!) } };
}

/** Checks the health of a service. */
export const checkService = (call: AdminCall<'checkService'>, shell: Shell): Promise<Answer> => asked(call, shell, { what: 'check' });

/** Asks a service for its status. */
export const statusService = (call: AdminCall<'statusService'>, shell: Shell): Promise<Answer> => asked(call, shell, { what: 'status' });

/** Sends a service a message. */
export const sendService = audited('sendService', (call, shell): Promise<Answer> => {
  const { message, data } = call.body;
  return asked(call, shell, { what: 'message', message, ...(data !== undefined && { data: JSON.stringify(data) }) });
});
