import type { Answered, Committed } from '../../watching.ts';
import { byteOf, clientCall } from '../client-calls.ts';
import type { Invariant } from '../invariant.ts';

/** Seconds between two calls, by what a machine was answered: the least and the most, before a tenth of jitter. */
const spansS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  '0': [[5, 60]],
  '2': [[5, 60]],
  /** Lost its node · its node does not see it · its node sees it. */
  '1': [
    [5, 60],
    [900, 900],
    [21_600, 21_600],
  ],
  '3': [[86_400, 86_400]],
  wait: [[5, 60]],
  knock: [[5, 5]],
};

/** We say when to call next: too soon and a fleet is a flood, too late and nobody notices. */
export const nextCalls: Invariant = {
  name: 'the-next-call-is-in-bounds',
  says: 'New, Orphan and whoever waits are told to call within a minute, Onboarded rarely unless it has lost its node, each by the documented intervals',
  begin: ({ violated, world }) => {
    // Many that are pinned or let go at once wait for turns that are hours away, on their nodes.
    let pinned = false;
    const committed = (changes: readonly Committed[]): void => {
      pinned ||= changes.some(({ after }) => after.key.sk.startsWith('pins#'));
    };
    const answered = (call: Answered): void => {
      const kind = kindOf(call);
      if (kind === undefined) return;
      const text = call.headers['muster-next'];
      const next = Number(text);
      const isLost = call.path === '/system/knock' && (call.sent as { lost?: boolean }).lost === true;
      const asUsual = kind === '1' && isLost ? spansS[kind]!.slice(0, 1) : spansS[kind]!;
      // At its turn, if it waits for one: on a node as soon as it would call anyway, on none after a quarter of an hour
      // at the most; every minute, if it is kept for a node.
      const untilTurn = [1, kind === '1' && pinned ? 21_600 : 900] as const;
      const spans = world().cluster.admitEveryMs > 0 && /^(1|2|wait)$/.test(kind) ? [...asUsual, untilTurn] : asUsual;
      if (text === undefined || !spans.some(([least, most]) => next >= Math.round(least * 0.9) && next <= Math.round(most * 1.1)))
        violated(`${call.path} was answered ${kind}, and to call again in ${text} s`);
    };
    return { committed, answered };
  },
};

function kindOf(call: Answered): string | undefined {
  if (!clientCall(call) || call.status >= 300) return undefined;
  if (call.headers['muster-knock'] === '1') return 'knock';
  return call.status === 204 ? 'wait' : byteOf(call);
}
