import { type Bug, patch } from '../bug.ts';

const voice = 'lib/nodes/vouched.ts';

/** Mistakes about nodes for which another system vouches. */
export const vouchedBugs: readonly Bug[] = [
  {
    name: 'whoever-may-put-events-may-vouch',
    breaks: 'a-node-has-one-voice',
    why: 'the bus has let the event in, so that its sender has the right',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [
      patch(voice, 'return node.vouched ? undefined : `no administrator has said', 'return true ? undefined : `no administrator has said'),
    ],
  },
  {
    name: 'a-sender-speaks-for-any-zone',
    breaks: 'a-node-has-one-voice',
    why: 'the node is marked, so that anybody who vouches may speak for it',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch(voice, 'if (vouched.zone !== node.zone) return', 'if (vouched.zone === undefined) return')],
  },
  {
    name: 'a-node-up-that-is-sent-again-is-a-sign-of-life',
    breaks: 'an-older-node-up-revives-nobody',
    why: 'what the bus took later was said later',
    foundIn: { world: 'vouched', seed: 4 },
    patches: [
      patch(
        'lib/nodes/on-up.ts',
        'if (up.vouched && boot?.seq !== undefined && (up.seq ?? 0) <= boot.seq) return',
        'if (up.vouched && boot?.seq !== undefined && up.seq === undefined) return',
      ),
    ],
  },
  {
    name: 'nobody-tells-who-vouches-the-incarnation',
    breaks: 'who-is-vouched-for-is-up-at-the-end',
    why: 'an agent is answered with its incarnation, so that no event need have it',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch(voice, 'events: [...decision.events, acknowledged]', 'events: decision.events')],
  },
];
