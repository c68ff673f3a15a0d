import { isStruct, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { serverIdOf } from '../../../programs/gateway/hub/server-ids.ts';
import { markIn } from './answers.ts';
import type { Exchange } from './exchange.ts';
import { type GatewayPromise, heardFor, isAbout, named, type Seen } from './promise.ts';

type Part = { readonly ids: readonly Value[]; readonly responses: readonly Value[] };

/** What a call of several servers was answered: who has succeeded, and who has failed. */
function partsIn(value: Value): { readonly succeeded: Part; readonly failed: Part } {
  const partOf = (part: Value | undefined): Part => {
    const { ServerIds: ids = [], Responses: responses = [] } = part !== undefined && isStruct(part) ? part : {};
    return { ids: listOf(ids), responses: listOf(responses) };
  };
  const { Successful, Failed } = isStruct(value) ? value : {};
  return { succeeded: partOf(Successful), failed: partOf(Failed) };
}

const listOf = (value: Value): readonly Value[] => (Array.isArray(value) ? (value as readonly Value[]) : []);

/** The values of an answer: of one to several servers, what those that succeeded have answered. */
export const valuesIn = ({ method, response }: Exchange): readonly Value[] => {
  if (!response?.ok) return [];
  const values = isAbout(method, 'several') ? partsIn(response.value).succeeded.responses : [response.value];
  return values.flatMap((value) => (Array.isArray(value) ? (value as readonly Value[]) : [value]));
};

const eachServerOnce: GatewayPromise = {
  name: 'each-server-that-was-named-is-answered-once',
  says: 'the answer to a call of several servers has each of them once, in the order in which they were named, with what that server has answered, or with the reason for which it has not; whoever has done a write is not among those that failed, unless it is said that they may have done it',
  *ofExchange(exchange, seen) {
    const { servers, response } = exchange;
    if (servers === undefined || !response?.ok) return;
    const { succeeded, failed } = partsIn(response.value);
    for (const { ids, responses } of [succeeded, failed]) {
      if (ids.length !== responses.length) yield `${ids.length} servers have ${responses.length} responses: ${named(exchange)}`;
      if (ids.join() !== servers.filter((id) => ids.includes(id)).join()) yield `${ids.join()} are not in their order: ${named(exchange)}`;
    }
    for (const id of servers)
      if ([...succeeded.ids, ...failed.ids].filter((one) => one === id).length !== 1) yield `${id} is not there once: ${named(exchange)}`;
    for (const [n, id] of succeeded.ids.entries()) yield* wrongAt(id, succeeded.responses[n] ?? null, exchange, seen);
    for (const [n, id] of failed.ids.entries()) yield* doneAt(id, String(failed.responses[n]), exchange, seen);
  },
};

/** The server of a number; one that nobody has is none. */
const nodeOf = (id: Value, { world }: Seen): string => world.around.estate.nodes.find((name) => serverIdOf({ name }) === id) ?? 'nobody';

/** What a server has answered that it has not: another's answer, a part of its own, or that a write was done. */
function* wrongAt(id: Value, value: Value, exchange: Exchange, seen: Seen): Iterable<string> {
  const node = nodeOf(id, seen);
  const heard = heardFor(exchange, seen, node);
  if (exchange.token !== undefined && !heard.some(({ isDone }) => isDone)) yield `${id} has not done it: ${named(exchange)}`;
  const marks = listOf(value).map(markIn);
  const [mark] = marks;
  const served = mark && seen.world.around.served[mark.n];
  if (served && served.node !== node) yield `${id} has the answer of ${served.node}: ${named(exchange)}`;
  if (!served?.items || exchange.method !== 'multicast.system.listSystems') return;
  const { items } = served;
  const isWhole = exchange.directories.some(({ clusterIdOf }) => {
    const known = items.filter(({ number }) => !seen.world.isSeveral || clusterIdOf(served.node, number) !== undefined).length;
    return marks.length === known && (exchange.leftOut.get(served.node) ?? 0) === items.length - known;
  });
  if (!isWhole) yield `${marks.length} of ${items.length} systems of ${served.node} are in it: ${named(exchange)}`;
}

function* doneAt(id: Value, text: string, exchange: Exchange, seen: Seen): Iterable<string> {
  const hasDone = heardFor(exchange, seen, nodeOf(id, seen)).some(
    ({ isDone, params }) => isDone && exchange.token !== undefined && JSON.stringify(params).includes(exchange.token),
  );
  if (hasDone && !text.endsWith('(perhaps done)')) yield `${id} has done it, and “${text}” does not say so: ${named(exchange)}`;
}

/** What the gateway promises of calls by the names of the hub. */
export const ofHub: readonly GatewayPromise[] = [eachServerOnce];
