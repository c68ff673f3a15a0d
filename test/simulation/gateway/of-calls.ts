import { readsByName, readsUnmarked } from '../../../lib/uyuni/api/common-writes.ts';
import { methods } from '../../../lib/uyuni/api/methods.ts';
import { DateTime, isStruct, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { firstNumber, firstOfCluster } from './estate.ts';
import type { Asked, Exchange } from './exchange.ts';
import { foundIn } from './of-answers.ts';
import type { Served } from './played-server.ts';
import { type GatewayPromise, heardFor, isAbout, mayBe, named, type Seen } from './promise.ts';

/** Whatever is in an argument and is no list or struct. */
function* leavesOf(value: Value): Iterable<Value> {
  if (Array.isArray(value)) for (const one of value as readonly Value[]) yield* leavesOf(one);
  else if (isStruct(value)) for (const one of Object.values(value)) yield* leavesOf(one);
  else yield value;
}

const leaves = ({ params }: Served): Value[] => params.flatMap((param) => [...leavesOf(param)]);

/** The call of a person that a write at a server is of. */
function askedFor(served: Served, { writes }: Seen): Asked | undefined {
  for (const leaf of leaves(served)) {
    const text = leaf instanceof DateTime ? leaf.text : leaf instanceof Uint8Array ? Buffer.from(leaf).toString() : leaf;
    const asked = typeof text === 'string' ? writes.get(text) : undefined;
    if (asked) return asked;
  }
  return undefined;
}

/** What servers have heard of the write of a call. */
export const heardOf = (exchange: Exchange, seen: Seen): Served[] =>
  heardFor(exchange, seen).filter((served) => askedFor(served, seen)?.token === exchange.token);

const told = ({ method, node, n }: Served): string => `${method} at ${node} (${n})`;

const callsReachTheirSystems: GatewayPromise = {
  name: 'a-call-reaches-the-systems-that-it-names',
  says: 'a call about systems comes to the servers where they live, with their numbers there, and to no other system',
  *ofServed(served, seen) {
    if (!seen.world.isSeveral) return;
    const asked = askedFor(served, seen);
    for (const number of leaves(served).filter((leaf) => typeof leaf === 'number')) {
      if (number >= firstOfCluster) yield `${told(served)} has the number ${number}, which is none of a server`;
      const owner = number >= firstNumber ? seen.world.around.estate.ownerOf(served.node, number) : undefined;
      if (asked && owner && !asked.systems.includes(owner.clusterId))
        yield `${told(served)} is about ${owner.clusterId}, and ${asked.systems.join(', ')} were meant`;
    }
  },
  *ofExchange(exchange, seen) {
    if (exchange.systems.length === 0 || !seen.world.isSeveral) return;
    for (const { id, served } of foundIn(exchange, seen))
      if (!served.isTroubled && served.items && !exchange.systems.includes(Number(id)))
        yield `${String(id)} was not asked for: ${named(exchange)}`;
  },
};

const sessionsAnswerTheirOwn: GatewayPromise = {
  name: 'a-session-answers-its-own-person',
  says: 'a call goes on with the sessions that its person has at servers, and nobody else’s; a key that has ended, or that the gateway has not given, is answered by no server',
  *ofServed(served, seen) {
    const asked = askedFor(served, seen);
    if (asked && served.account && !mayBe(served.account, asked))
      yield `${told(served)} is of ${served.account.login}, and was asked by another`;
  },
  *ofExchange(exchange, seen) {
    for (const { served } of foundIn(exchange, seen)) {
      const { account, at } = served;
      if (!mayBe(account, exchange)) yield `${told(served)} is of ${account?.login}: ${named(exchange)}`;
      if (at < exchange.beganAt || at > exchange.endedAt) yield `${told(served)} was the answer to another call: ${named(exchange)}`;
    }
    if (exchange.key !== undefined && exchange.session === 'over' && exchange.response?.ok)
      yield `its session was over: ${named(exchange)}`;
  },
};

const sessionsLive: GatewayPromise = {
  name: 'a-session-lives-as-long-as-was-said',
  says: 'a session is there until its person ends it or has not called for as long as was said',
  *ofExchange(exchange) {
    const { session, key = '', response } = exchange;
    const gone = `Could not find session with id: ${key.split('x', 1)[0]}`;
    if (session === 'alive' && response?.ok === false && response.fault.text.endsWith(gone)) yield named(exchange);
  },
};

/** Whether a server takes a call for one that changes what all servers have in common; a method of nobody is one. */
function isCommon(method: string): boolean {
  const forms = methods.get(method);
  if (!forms) return !readsByName(method);
  return !readsUnmarked.includes(method) && forms.some(({ routing, reads }) => routing === 'CW' && !reads);
}

const commonAtTheSeat: GatewayPromise = {
  name: 'common-content-is-written-at-the-seat',
  says: 'what changes common content comes to the server that is the seat, and to no other; without a seat to none',
  *ofServed(served, { world }) {
    if (world.isSeveral && isCommon(served.method) && served.node !== world.seat && !served.method.startsWith('auth.'))
      yield `${told(served)}, and the seat is ${world.seat ?? 'nowhere'}`;
  },
};

const writesAreMadeOnce: GatewayPromise = {
  name: 'a-write-is-made-once',
  says: 'a call that writes comes to a server once, whatever became of the answer',
  *ofServed(served, seen) {
    const asked = askedFor(served, seen);
    if (!asked) return;
    const before = seen.world.around.served.filter(({ n, node, at }) => n < served.n && node === served.node && at >= asked.beganAt);
    for (const one of before) if (askedFor(one, seen) === asked) yield `${told(served)} came before, as ${one.n}`;
  },
};

const writesSayWhoHasDoneThem: GatewayPromise = {
  name: 'a-write-says-who-has-done-it',
  says: 'a write that is answered was done by all servers that it concerns; the fault of one that is not names each that has done it, or may have, and says of none that it has not',
  *ofExchange(exchange, seen) {
    const { token, response, systems, directories } = exchange;
    if (token === undefined || !response || !seen.world.isSeveral || isAbout(exchange.method, 'several')) return;
    // A list without systems changes nothing, wherever it goes.
    if (systems.length === 0 && !isCommon(exchange.method)) return;
    const done = new Set(
      heardOf(exchange, seen)
        .filter(({ isDone }) => isDone)
        .map(({ node }) => node),
    );
    if (response.ok) {
      const isDoneUnder = (directory: (typeof directories)[number]): boolean =>
        systems.every((id) => done.has(directory.homeOf(id)?.node ?? '')) || done.has(seen.world.seat ?? '');
      if (systems.length > 0 && !directories.some(isDoneUnder))
        yield `only ${[...done].join(', ') || 'nobody'} has done it: ${named(exchange)}`;
      return;
    }
    const [, not = '', yes = ''] =
      /\((?:not done on (.*?); )?(?:perhaps done on .*?; )?done on (.*?)\)(?:; what is done is actions? [\d, ]+)?$/.exec(
        response.fault.text,
      ) ?? [];
    for (const node of done) {
      if (!response.fault.text.includes(node)) yield `${node} has done it: ${named(exchange)}`;
      if (not.includes(node)) yield `${node} has done it, and is said not to have: ${named(exchange)}`;
    }
    for (const node of yes === 'none' ? [] : yes.split(', ').filter(Boolean))
      if (!done.has(node)) yield `${node} has not done it: ${named(exchange)}`;
  },
};

/** What the gateway promises of calls that it passes on. */
export const ofCalls: readonly GatewayPromise[] = [
  callsReachTheirSystems,
  sessionsAnswerTheirOwn,
  sessionsLive,
  commonAtTheSeat,
  writesAreMadeOnce,
  writesSayWhoHasDoneThem,
];
