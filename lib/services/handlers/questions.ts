import { type NodeCaller, nodeOf } from '../../nodes/verify-node.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import { read, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { judgeFor } from '../changes/judged.ts';
import type { servicesOfNodeRoutes } from '../node-routes.ts';
import { type Answerable, answerableOf, type Counted, decidedBy, mayStop, peersOf } from '../questions.ts';
import { typeIn } from '../reads/catalogue.ts';
import { servicesCalled } from '../reads/found.ts';
import { type RelatedView, relatedTo } from '../reads/related.ts';
import { type Condition, type ServiceTypes, typesRef } from '../rows/service-type.ts';
import { resourceRef, type Service, serviceRef } from '../service.ts';
import { shutOutOf } from '../verdict.ts';
import type { QuestionAnswer } from '../view-routes.ts';
import { refusal } from './refusal.ts';

/**
 * Answers a question of a service of the node, by the rule that its type has for that. It only reads: two services that
 * ask at once get the same answer.
 */
export async function answerQuestion(
  { params, body, caller }: Call<(typeof servicesOfNodeRoutes)['askQuestion'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  const node = nodeOf(caller);
  const refs = [typesRef(node.zone), serviceRef({ node: node.id, type: params.type })];
  const [types, row] = await readRows(shell, refs);
  const now = shell.now();
  const type = typeIn(stateOf<ServiceTypes>(types, now), params.type)?.type;
  const { instance, question, data } = body;
  const asked = { instance, question, data: data === undefined ? undefined : JSON.stringify(data) };
  const service = stateOf<Service>(row, now);
  const put = stateOf<ServiceTypes>(types, now);
  const outcome = await judgeFor(
    shell,
    caller,
  )((verdict) => answerableOf({ service, type, host: node.fqdn, verdict, shutOut: shutOutOf(put, params.type) }, asked));
  if (outcome.does === 'refuse') throw refusal(outcome);
  return { status: 200, body: await answerTo(shell, put, outcome) };
}

type Asked = { readonly service: Service; readonly what: Answerable };

async function answerTo(shell: Shell, put: ServiceTypes | undefined, { service, what }: Asked): Promise<QuestionAnswer> {
  if (what.is === 'holder') return holdersOf(shell, service.zone, what.resource);
  if (what.is === 'all' || what.is === 'any') {
    const asksRelated = what.of.some(({ is }) => is === 'related');
    const related = asksRelated ? await relatedTo(shell, put, service) : [];
    return decidedBy(what.is, await Promise.all(what.of.map((condition) => countedFor(shell, { service, related }, condition))));
  }
  const peers = peersOf(service, await servicesCalled(shell, service.zone, service.name));
  return what.is === 'may-stop' ? mayStop(what.leave, peers) : { peers };
}

/** The holders of a resource of a zone: none where Muster does not know the resource. */
async function holdersOf(shell: Shell, zone: string, resource: Parameters<typeof resourceRef>[1]): Promise<QuestionAnswer> {
  const held = await read(shell, resourceRef(zone, resource));
  if (!held) return { holders: [], exclusive: false };
  const rows = await readRows(
    shell,
    held.holders.map((one) => serviceRef(one)),
  );
  const services = rows.flatMap((row) => stateOf(row, shell.now()) ?? []);
  return { holders: services.map(({ type, node, host }) => ({ type, node, host })), exclusive: held.exclusive };
}

const isOnline = ({ state }: { readonly state?: string }): boolean => state === 'online';

/** A service that asks, and the services that it needs by the relations of its type, where a condition uses them. */
type Asking = { readonly service: Service; readonly related: readonly RelatedView[] };

/** The count for a condition of a service. */
async function countedFor(shell: Shell, { service, related }: Asking, condition: Condition): Promise<Counted> {
  switch (condition.is) {
    case 'peers':
    case 'service': {
      const name = condition.is === 'peers' ? service.name : condition.name;
      return { condition, count: peersOf(service, await servicesCalled(shell, service.zone, name)).filter(isOnline).length };
    }
    case 'related':
      return { condition, count: related.filter((one) => one.name === condition.by && isOnline(one)).length };
    case 'free': {
      const held = await read(shell, resourceRef(service.zone, condition));
      return { condition, count: peersOf(service, held?.holders ?? []).length };
    }
  }
}
