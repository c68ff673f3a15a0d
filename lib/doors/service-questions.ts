import type { nodeRoutes } from '../api/node-routes.ts';
import type { QuestionAnswer } from '../api/service-views.ts';
import { stateOf } from '../runtime/content.ts';
import type { Answer, Call } from '../runtime/on-route.ts';
import { readAll } from '../runtime/read-all.ts';
import type { Shell } from '../runtime/shell.ts';
import { typeIn } from '../services/catalogue.ts';
import { type Answerable, answerableOf, mayStop, peersOf } from '../services/questions.ts';
import { resourceRef, serviceRef, typesRef } from '../services/rows.ts';
import type { ResourceHolders, Service } from '../services/service.ts';
import type { ServiceTypes } from '../services/service-type.ts';
import { shutOutOf } from '../services/verdict.ts';
import { keyOf } from '../table/keys.ts';
import { judgeFor } from './judged.ts';
import { refusal } from './service-refusal.ts';
import { servicesCalled } from './services-found.ts';
import { type NodeCaller, nodeOf } from './verify-node.ts';

/** Answers what a service of the node asks, by the rule that its type has for that. It only reads: two that ask at once are told the same. */
export async function answerQuestion(
  { params, body, caller }: Call<(typeof nodeRoutes)['askQuestion'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  const node = nodeOf(caller);
  const refs = [typesRef(node.zone), serviceRef({ node: node.id, type: params.type })];
  const [types, row] = await readAll(shell, refs.map(keyOf));
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
  return { status: 200, body: await answerTo(shell, outcome.service, outcome.what) };
}

async function answerTo(shell: Shell, service: Service, what: Answerable): Promise<QuestionAnswer> {
  if (what.is === 'holder') return holdersOf(shell, service.zone, what.resource);
  const peers = peersOf(service, await servicesCalled(shell, service.zone, service.name));
  return what.is === 'may-stop' ? mayStop(what.leave, peers) : { peers };
}

/** Who holds a resource of a zone: nobody where nothing is known of it. */
async function holdersOf(shell: Shell, zone: string, resource: Parameters<typeof resourceRef>[1]): Promise<QuestionAnswer> {
  const held = stateOf<ResourceHolders>(await shell.table.read(keyOf(resourceRef(zone, resource))), shell.now());
  if (!held) return { holders: [], exclusive: false };
  const rows = await readAll(
    shell,
    held.holders.map((one) => keyOf(serviceRef(one))),
  );
  const services = rows.flatMap((row) => stateOf<Service>(row, shell.now()) ?? []);
  return { holders: services.map(({ type, node, host }) => ({ type, node, host })), exclusive: held.exclusive };
}
