import { type Bug, patch } from '../bug.ts';

/** Mistakes in how the gateway answers by the names of the hub. */
export const gatewayHubBugs: readonly Bug[] = [
  {
    name: 'a-server-that-failed-is-in-no-list',
    breaks: 'each-server-that-was-named-is-answered-once',
    why: 'an answer has what was answered',
    foundIn: { world: 'gateway', seed: 9 },
    patches: [
      patch("else if ('end' in value) failed.push({ id, fault: faultAt(value.end, round, reads) });", "else if ('end' in value) continue;"),
    ],
  },
  {
    name: 'a-part-of-an-answer-is-a-success',
    breaks: 'each-server-that-was-named-is-answered-once',
    why: 'what was read is an answer, as it is in a list of all',
    foundIn: { world: 'gateway', seed: 9 },
    patches: [
      patch('return { end: error.end };', 'return { parts: read };'),
      patch('return end.ok ? { parts: read } : { end };', 'return { parts: read };'),
    ],
  },
  {
    name: 'answers-are-in-the-order-of-names',
    soonest: true,
    breaks: 'each-server-that-was-named-is-answered-once',
    why: 'servers are sorted by their names everywhere else',
    foundIn: { world: 'gateway-calm', seed: 1 },
    patches: [
      patch('call.params).map(({ id, params }) => {', 'call.params).toSorted((one, other) => one.id - other.id).map(({ id, params }) => {'),
    ],
  },
  {
    name: 'whoever-is-named-may-edit',
    breaks: 'common-content-is-written-at-the-seat',
    why: 'a call that names its server is meant for it',
    foundIn: { world: 'gateway-calm', seed: 1 },
    patches: [
      patch(
        "if (judge(name) !== 'common' || ('node' in seat && node === seat.node)) return undefined;",
        'if (name !== undefined) return undefined;',
      ),
    ],
  },
  {
    name: 'a-server-that-is-named-is-asked-by-its-own-numbers',
    breaks: 'a-call-reaches-the-systems-that-it-names',
    why: 'whoever names a server has its numbers',
    foundIn: { world: 'gateway-calm', seed: 1 },
    patches: [patch('if (home?.node === at.node) return intOf(home.localId);', 'if (home?.node === at.node) return intOf(id ?? 0);')],
  },
  {
    name: 'who-is-attached-is-the-person',
    breaks: 'a-session-answers-its-own-person',
    why: 'a session has one person at each server',
    foundIn: { world: 'gateway-calm', seed: 18 },
    patches: [
      patch(
        'if (attached) row.attached.set(node, attached);',
        'if (attached) row.nodes.set(node, attached.at);\n      if (attached) row.attached.set(node, attached);',
      ),
    ],
  },
];
