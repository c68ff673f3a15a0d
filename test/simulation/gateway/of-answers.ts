import type { Directory } from '../../../lib/uyuni/gateway/directory.ts';
import { isStruct, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { markIn } from './answers.ts';
import type { Exchange } from './exchange.ts';
import { valuesIn } from './of-hub.ts';
import type { Served } from './played-server.ts';
import { type GatewayPromise, heardFor, isAbout, isOfSessions, named, plain, type Seen } from './promise.ts';

/** A system in an answer of the gateway, and in the answer of the server that it is from. */
type Found = { readonly id: Value | undefined; readonly served: Served; readonly place: number };

/** The structs of an answer that servers have marked. */
export function foundIn(exchange: Exchange, { world }: Seen): Found[] {
  return valuesIn(exchange).flatMap((value) => {
    const mark = markIn(value);
    const served = mark && world.around.served[mark.n];
    return mark && served && isStruct(value) ? [{ id: value['id'] ?? value['server_id'], served, place: mark.place }] : [];
  });
}

/** The number that a system on a server has for callers. */
const numberFor = ({ world }: Seen, node: string, local: number): number | undefined =>
  world.isSeveral ? world.around.estate.ownerOf(node, local)?.clusterId : local;

const idsAreOfSystems: GatewayPromise = {
  name: 'an-id-in-an-answer-is-of-its-system',
  says: 'a number of a system in an answer of the gateway is the one in the cluster of the system that its server meant, and leads a later call back to it',
  *ofExchange(exchange, seen) {
    for (const { id, served, place } of foundIn(exchange, seen)) {
      const local = served.items?.[place]?.number;
      if (local === undefined) continue;
      const wanted = numberFor(seen, served.node, local);
      if (id !== wanted) yield `${String(id)} stands for ${wanted}, which is ${local} on ${served.node}: ${named(exchange)}`;
      const leadsBack = ({ homeOf }: Directory): boolean =>
        homeOf(Number(id))?.node === served.node && homeOf(Number(id))?.localId === local;
      if (seen.world.isSeveral && !exchange.directories.some(leadsBack))
        yield `${String(id)} does not lead back to ${served.node}: ${named(exchange)}`;
    }
    if (exchange.method === 'system.getMinionIdMap' && exchange.response?.ok && isStruct(exchange.response.value))
      yield* ofMap(exchange.response.value, exchange, seen);
  },
};

function* ofMap(map: { readonly [name: string]: Value }, exchange: Exchange, { world }: Seen): Iterable<string> {
  if (!world.isSeveral) return;
  for (const [minion, id] of Object.entries(map)) {
    const machine = world.around.estate.machines.find(({ clusterId }) => clusterId === id);
    if (machine?.minion !== minion) yield `${String(id)} is no number of ${minion}: ${named(exchange)}`;
  }
}

const lists: ReadonlySet<string> = new Set(['system.listSystems', 'system.listActiveSystems', 'system.searchByName']);

const nobodyIsMissing: GatewayPromise = {
  name: 'no-system-is-missing-but-of-a-server-that-is-named',
  says: 'a list has each system once that a server has answered with and that has a number in the cluster; who is not in it is of a server that the answer names as failed, or counted as left out',
  *ofExchange(exchange, seen) {
    const { response, directories } = exchange;
    if (!response?.ok || !seen.world.isSeveral || isAbout(exchange.method, 'one', 'several')) return;
    const method = plain(exchange.method);
    const missing = lists.has(method)
      ? (directory: Directory) => missingInList(directory, exchange, seen)
      : method === 'system.getMinionIdMap'
        ? (directory: Directory) => missingInMap(directory, exchange, seen)
        : method === 'systemgroup.listAllGroups'
          ? (directory: Directory) => missingInSum(directory, exchange, seen)
          : method === 'system.listActiveSystemsDetails'
            ? (directory: Directory) => missingOfAsked(directory, exchange, seen)
            : undefined;
    if (!missing) return;
    // The call went by what was known at one moment; a directory that came meanwhile is none of its.
    const found = directories.map((directory) => [...missing(directory)]);
    if (found.every(({ length }) => length > 0)) yield `${found[0]?.[0]}: ${named(exchange)}`;
  },
};

function* missingInList(directory: Directory, exchange: Exchange, seen: Seen): Iterable<string> {
  const found = foundIn(exchange, seen);
  for (const { name } of directory.nodes()) {
    if (exchange.failed.has(name)) continue;
    const own = found.filter(({ served }) => served.node === name);
    const answers = own.length > 0 ? [own[0]!.served] : heardFor(exchange, seen, name).filter(({ wholeAt }) => wholeAt !== undefined);
    if (own.some(({ served }) => served !== own[0]?.served)) yield `${name} is in it by two answers`;
    if (new Set(own.map(({ place }) => place)).size < own.length) yield `a system of ${name} is in it twice`;
    const isWhole = answers.some(({ items = [], node }) => {
      const known = items.filter(({ number }) => directory.clusterIdOf(node, number) !== undefined).length;
      return own.length === known && (exchange.leftOut.get(name) ?? 0) === items.length - known;
    });
    if (!isWhole)
      yield `${name} is not named, and ${own.length} of its systems are there of ${answers.map(({ items }) => items?.length).join(' or ') || 'no answer'}`;
  }
}

function* missingInMap(directory: Directory, exchange: Exchange, seen: Seen): Iterable<string> {
  const map = exchange.response?.ok && isStruct(exchange.response.value) ? exchange.response.value : {};
  for (const { name } of directory.nodes()) {
    if (exchange.failed.has(name)) continue;
    const answers = heardFor(exchange, seen, name);
    if (!answers.some(({ items }) => items?.every(({ minion }) => map[minion] !== undefined)))
      yield `${name} is not named, and its systems are not in it`;
  }
}

/** Each server counts by a digit of its own. */
function* missingInSum(directory: Directory, exchange: Exchange, { world }: Seen): Iterable<string> {
  const [group] = valuesIn(exchange);
  const sum = group !== undefined && isStruct(group) ? Number(group['system_count']) : 0;
  const wanted = directory
    .nodes()
    .filter(({ name }) => !exchange.failed.has(name))
    .reduce((all, { name }) => all + 10 ** world.around.estate.nodes.indexOf(name), 0);
  if (sum !== wanted) yield `${sum} were counted in place of ${wanted}`;
}

function* missingOfAsked(directory: Directory, exchange: Exchange, seen: Seen): Iterable<string> {
  const ids = foundIn(exchange, seen).map(({ id }) => id);
  for (const system of exchange.systems) {
    const node = directory.homeOf(system)?.node;
    const isThere = node === undefined || exchange.failed.has(node) || ids.includes(system);
    // A server that lies about one system cannot be told from one that has it no more.
    const isLied = heardFor(exchange, seen, node).some(({ isTroubled }) => isTroubled);
    if (!isThere && !isLied) yield `${system} of ${node} is not in it`;
  }
}

/** What an answer may take beyond twice the time of its servers: to end a session they have 3 s. */
const beyondMs = 4_000;
/** Longer answers are sent as they come, and can break off. */
const sentWholeMax = 1024 * 1024;

export const answersAreWhole: GatewayPromise = {
  name: 'an-answer-is-a-whole-document-in-time',
  says: 'whatever servers do, a caller who waits is given a document of XML-RPC, by the time that servers may take; only one of more than 1 MiB may break off, and what a single server answers is passed on as it is',
  *ofExchange(exchange, { world }) {
    const { received, response, isLeft, isSlow, beganAt, endedAt, deadlineMs } = exchange;
    if (isLeft) return;
    const mayBreakOff = (received?.text.length ?? 0) > sentWholeMax;
    const isWhole = response !== undefined || (received?.isWhole === true && !world.isSeveral);
    if (!isWhole && !(received?.isWhole === false && mayBreakOff)) yield `no document: ${named(exchange)}`;
    if (received && received.status !== 200) yield `status ${received.status}: ${named(exchange)}`;
    if (!isSlow && endedAt - beganAt > 2 * deadlineMs + beyondMs) yield `it was too late: ${named(exchange)}`;
  },
};

const strictIsWhole: GatewayPromise = {
  name: 'a-strict-answer-is-of-all-servers',
  says: 'who asks for a complete answer is given no answer that lacks a server',
  *ofExchange(exchange) {
    // An answer to a call of several servers names those that failed itself.
    const mayLack = isOfSessions(exchange.method) || isAbout(exchange.method, 'several');
    if (exchange.isStrict && exchange.response?.ok && exchange.failed.size > 0 && !mayLack) yield named(exchange);
  },
};

const doings: ReadonlySet<string> = new Set(['fault', 'lost', 'cut-off', 'malformed', 'refused', 'not-an-array', 'deadline', 'too-large']);

/** Longer than a server takes that is well; who waits for less may have to do without it. */
const wellWithinMs = 1_000;
/** As often a server has failed before it is left alone. */
const failuresMin = 3;

const namedForItsDoing: GatewayPromise = {
  name: 'a-server-is-named-for-what-it-did',
  says: 'an answer names no server as failed that was asked and has answered truly and in time, none as down that Muster has up, and none as left alone that has not failed',
  *ofExchange(exchange, seen) {
    if (exchange.isLeft || exchange.isSlow) return;
    for (const [node, code] of exchange.failed) {
      // A part of an action may be on a server that Muster does not have any more.
      const isUp = ({ nodes }: Directory): boolean => nodes().some((one) => one.name === node && one.isUp);
      if (code === 'down' && exchange.directories.every(isUp)) yield `${node} is up: ${named(exchange)}`;
      if (code === 'left-alone' && failuresOf(node, 0, seen) < failuresMin) yield `${node} has not failed so often: ${named(exchange)}`;
      if (doings.has(code) && hasAnswered(node, code, exchange, seen)) yield `${node} has answered: ${named(exchange)}`;
    }
  },
};

/** How often a server has failed since a moment, as far as that can be seen from outside. */
const failuresOf = (server: string, since: number, { world }: Seen): number =>
  world.around.unread.filter(({ node, at }) => node === server && at >= since).length +
  world.around.served.filter(({ node, at, isTroubled }) => node === server && at >= since && isTroubled).length;

/** Whether a server was well when it was asked; of one that was given up before it read a call, nothing is known. */
function hasAnswered(node: string, code: string, exchange: Exchange, seen: Seen): boolean {
  const { beganAt, deadlineMs } = exchange;
  // Of a call with a session that the server does not know any more, nobody can say whose it was.
  const heard = [...heardFor(exchange, seen, node), ...heardFor({ ...exchange, login: undefined }, seen, node)];
  const isWell = ({ isTroubled, isDone, wholeAt }: Served): boolean =>
    !isTroubled && isDone && (wholeAt === undefined ? code === 'deadline' : wholeAt - beganAt < deadlineMs);
  if (failuresOf(node, beganAt, seen) > 0 || deadlineMs < wellWithinMs) return false;
  // One that is asked after others that have failed has only the rest of the time.
  if (code === 'deadline' && !lists.has(plain(exchange.method))) return false;
  return heard.every(isWell) && (code === 'deadline' || heard.length > 0);
}

/** What the gateway promises of its answers. */
export const ofAnswers: readonly GatewayPromise[] = [idsAreOfSystems, nobodyIsMissing, answersAreWhole, strictIsWhole, namedForItsDoing];
