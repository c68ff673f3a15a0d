import { setTimeout as sleep } from 'node:timers/promises';
import { historyOf, type Stored } from './evidence.ts';
import { atRest } from './rest.ts';
import { durable, violations } from './rules.ts';
import { type Census, endRules } from './rules-end.ts';
import type { Stage } from './stage.ts';
import type { Followed, Subscriber } from './subscriber.ts';

/** How long the subscriber may take to have what it has not had. */
const catchUpMs = 10_000;

/**
 * Ends all that is driven, looks at the state file once nothing waits in it, reads the history over the wire from a
 * host that is started once more, and holds all of it against the rules.
 */
export async function judge({ home, keeper, drive, clients, nodes, subscriber }: Stage, census: Census): Promise<string[]> {
  clients.stop();
  for (const machine of nodes.machines) nodes.off(machine);
  await keeper.stop();
  const stored = await atRest(home, keeper);
  const had = structuredClone(subscriber.seen());
  await keeper.start();
  const history = await historyOf(stored.eventSeqs.keys(), drive.api);
  await caughtUp(subscriber, stored);
  await subscriber.stop();
  await keeper.stop();
  const then = { history: upTo(stored, history), followed: followedUpTo(stored, subscriber.seen(), had) };
  return violations([...durable, ...endRules(census)], { ack: drive.ack, stored, ...then });
}

async function caughtUp({ seen }: Subscriber, { eventSeqs }: Stored): Promise<void> {
  const until = Date.now() + catchUpMs;
  const isBehind = ([subject, count]: [string, number]): boolean => (seen().events.get(subject)?.size ?? 0) < count;
  while ([...eventSeqs].some(isBehind) && Date.now() < until) await sleep(100);
}

/** Nodes that nobody drives any more are missed after a while: what is concluded then is not looked at. */
const upTo = ({ eventSeqs }: Stored, history: Awaited<ReturnType<typeof historyOf>>): typeof history =>
  new Map([...history].map(([subject, items]) => [subject, items.filter(({ seq }) => seq <= eventSeqs.get(subject)!)]));

function followedUpTo({ eventSeqs }: Stored, now: Followed, had: Followed): Followed {
  const events = [...now.events].map(([subject, all]) => {
    const counts = ([seq]: [number, unknown]): boolean =>
      seq <= (eventSeqs.get(subject) ?? 0) || had.events.get(subject)?.has(seq) === true;
    return [subject, new Map([...all].filter(counts))] as const;
  });
  return { ...now, events: new Map(events) };
}
