import type { AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { RowRef } from '../../core/decision.ts';
import { few } from '../../core/few.ts';
import { ServiceTypeName } from '../../core/ids.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { read, readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { differsBetween, placesOf } from '../../services/differs.ts';
import { putTypesOf } from '../../services/handlers/types.ts';
import { typeIn } from '../../services/reads/catalogue.ts';
import { type RelatedView, relatedTo } from '../../services/reads/related.ts';
import { watchersOf } from '../../services/reads/supervision.ts';
import { viewedState } from '../../services/rows/shown.ts';
import { instanceOf, type Service, serviceId, serviceRef, supervisorType } from '../../services/service.ts';
import { type Watched, watchSetRef } from '../../services/watch-set.ts';
import { foundNode } from '../../zones/reads/found.ts';
import type { Explanation } from './routes.ts';
import { lastDecision } from './told.ts';

type AskedService = { readonly ref: RowRef; readonly row: Row; readonly node: Node; readonly type: string };

/**
 * The service that a call names as `TYPE@NODE`, even when it is no longer registered. Throws a {@link Refusal} when the
 * caller never saw such a service.
 */
export async function askedService(shell: Shell, id: string, caller: AdminCaller): Promise<AskedService> {
  const at = id.indexOf('@');
  const type = ServiceTypeName.safeParse(id.slice(0, Math.max(0, at)));
  if (!type.success) throw new Refusal('unknown-service', `${id} does not name a service: use TYPE@NODE`);
  const { node } = await foundNode(shell, id.slice(at + 1), caller);
  const ref = serviceRef({ node: node.id, type: type.data });
  const row = await readRow(shell, ref);
  if (!row) throw new Refusal('unknown-service', `no service ${type.data} was ever registered on ${node.fqdn}`);
  return { ref, row, node, type: type.data };
}

/** Why a service is as it is: its last decision, when the rule tries again, and the status of its node. */
export async function explainService(shell: Shell, id: string, caller: AdminCaller): Promise<Explanation> {
  const { row, node, type } = await askedService(shell, id, caller);
  const service = stateOf<Service>(row, shell.now());
  const ofNode = { subject: `node ${node.fqdn}`, because: `is ${node.status}` };
  const subject = `service ${type} on ${node.fqdn}`;
  if (!service) return { subject, state: 'not registered', ...lastDecision(row), also: [ofNode] };
  const watched = await supervision(shell, service);
  const put = await putTypesOf(shell, service.zone);
  const related = await relatedTo(shell, put, service);
  return {
    subject,
    state: stateText(service, node),
    ...lastDecision(row),
    also: [...bearing(service, typeIn(put, type)?.schema.configuration), ...related.map(needed), ...watched, ofNode],
  };
}

const needed = ({ name, to, host, state }: RelatedView): { readonly subject: string; readonly because: string } => ({
  subject: `its ${name}`,
  because: state ? `the service ${to} on ${host} is ${state}` : `no service ${to} is registered on ${host}`,
});

/** The supervisor that watches a service, and the hosts that a supervisor watches itself. */
async function supervision(shell: Shell, service: Service): Promise<Explanation['also']> {
  const watcher = (await watchersOf(shell, service.zone, [service])).get(serviceId(service));
  const of = watcher && `that of ${watcher.host}`;
  const subject = 'its supervisor';
  const missed = watcher?.missedSince !== undefined && {
    because: `${of}, which has not heard it since then: ${sinceMissed(service, Date.parse(watcher.missedSince))}`,
    at: watcher.missedSince,
  };
  const own = of === undefined ? [] : [missed ? { subject, ...missed } : { subject, because: of }];
  return service.type === supervisorType ? [...own, ...(await watchedBy(shell, service))] : own;
}

/** The outcome of the check of a service that its supervisor misses. */
function sinceMissed({ asks, results }: Service, since: number): string {
  const last = results.findLast(({ what, at, late }) => what === 'check' && !late && at > since);
  if (last) return `its agent has answered, exit ${last.exit}`;
  return asks.some(({ what }) => what === 'check') ? 'its agent is asked' : 'its agent has not answered';
}

/** How many of the hosts that a supervisor watches are named. */
const namedMax = 20;

async function watchedBy(shell: Shell, { zone, node }: Service): Promise<Explanation['also']> {
  const set = await read(shell, watchSetRef({ zone, node }));
  const named = async (watched: readonly Watched[]): Promise<string> => {
    const ids = watched.map((one) => one.node);
    const rows = await readRows(
      shell,
      ids.slice(0, namedMax).map((id) => nodeRef(id)),
      'lately',
    );
    return few(
      ids.map((id, n) => stateOf(rows[n], shell.now())?.fqdn ?? id),
      namedMax,
    );
  };
  const { services = [], supervisors = [] } = set ?? {};
  return [
    { subject: 'it watches the services of', because: services.length === 0 ? 'none' : await named(services) },
    { subject: 'it watches the supervisors of', because: supervisors.length === 0 ? 'none' : await named(supervisors) },
  ];
}

function stateText(service: Service, node: Node): string {
  const current = viewedState(service, node);
  if (current.is === 'failed') return `failed (${current.reason})`;
  return current.is === 'inhibited' ? `inhibited (was ${current.previous})` : current.is;
}

function bearing(service: Service, schema: string | undefined): Explanation['also'] {
  const { stopping, retryAt, attempts = 0, healthy, results, resources, drift, configuration } = service;
  const last = results.findLast(({ what }) => what === 'check');
  return [
    { subject: 'instance', because: `${instanceOf(service)}, started ${service.start} times since it was registered` },
    ...(stopping ? [{ subject: 'its goal', because: 'to stop: an operator has stopped it' }] : []),
    ...(drift
      ? [
          {
            subject: 'its configuration',
            because: `it reports another one, at ${placesOf(differsBetween(schema, configuration, drift.configuration))}: configure it, and it is started again`,
            at: new Date(drift.since).toISOString(),
          },
        ]
      : []),
    ...(retryAt === undefined
      ? []
      : [{ subject: 'the rule', because: `starts it again, attempt ${attempts + 1}`, at: new Date(retryAt).toISOString() }]),
    ...(healthy === undefined || !last
      ? []
      : [
          {
            subject: 'its last check',
            because: `${healthy ? 'well' : 'not well'}: ${last.says.trim().slice(0, 200)}`,
            at: new Date(last.at).toISOString(),
          },
        ]),
    ...resources.map(({ kind, id, hold }) => ({
      subject: `${kind} ${id}`,
      because: hold === 'exclusive' ? 'held by it alone' : 'held by it and others',
    })),
  ];
}
