import { type Bug, patch } from '../bug.ts';

/** Mistakes about who speaks for a node, and when what is said counts. */
export const voucherBugs: readonly Bug[] = [
  {
    name: 'a-sender-speaks-for-any-zone',
    breaks: 'a-node-has-one-voice',
    why: 'the rule of a sender has said already that it may vouch',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch('if (vouched.zone !== node.zone) return', 'if (false) return')],
  },
  {
    name: 'any-node-may-be-vouched-for',
    breaks: 'a-node-has-one-voice',
    why: 'whoever may vouch in a zone may do so for each of its nodes',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch('return node.vouched ? undefined', 'return node ? undefined')],
  },
  {
    name: 'an-agent-that-waited-speaks',
    breaks: 'a-node-has-one-voice',
    why: 'its endpoint has refused it already, unless it was before an administrator had said so',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch('return node.vouched && speaksOfLife({ type }) ?', 'return false ?')],
  },
  {
    name: 'an-agent-is-welcomed-that-does-not-count',
    breaks: 'doors-know-who-is-a-member',
    why: 'the decision ignores what it says, so that nobody need refuse it',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch('  if (!vouched) return;', '  if (!vouched || fqdn) return;')],
  },
  {
    name: 'a-node-up-that-is-sent-again-counts',
    breaks: 'an-older-node-up-revives-nobody',
    why: 'it was received after the boot that is acknowledged',
    foundIn: { world: 'vouched', seed: 6 },
    patches: [patch('(isQuorate ? seq < last : seq <= last)', '(isQuorate ? seq < last : seq < last)')],
  },
  {
    name: 'a-node-up-that-did-nothing-may-do-so-later',
    breaks: 'an-older-node-up-revives-nobody',
    why: 'its number is of interest once it has begun a boot, or brought the node back',
    foundIn: { world: 'vouched', seed: 4 },
    patches: [
      patch(
        "if (decision.does === 'nothing') return write<Node, never>({ ...node, voice }",
        "if (decision.does === 'nothing') return decision;\n  if (!seq) return write<Node, never>({ ...node, voice }",
      ),
      patch('return up.vouched ? write<Node, never>(node, because, { aside: true }) : nothing(because);', 'return nothing(because);'),
    ],
  },
  {
    name: 'who-speaks-now-goes-on-where-another-was',
    breaks: 'another-voice-begins-with-a-node-up',
    why: 'the machine is the same, and so is its boot',
    foundIn: { world: 'vouched', seed: 2 },
    patches: [
      patch(
        'const { boot, ...rest } = node;\n  const incarnation = boot ? node.incarnation + 1 : node.incarnation;\n  return { ...rest, incarnation, seq: 0,',
        'return { ...node,',
      ),
    ],
  },
  {
    name: 'whoever-speaks-next-may-begin-with-a-heartbeat',
    breaks: 'another-voice-begins-with-a-node-up',
    why: 'whoever names the incarnation knows it from an answer',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch('if (awaitsUp(node) && speaksOfLife(report)) return', 'if (false) return')],
  },
  {
    name: 'a-sender-that-asks-again-is-not-told',
    breaks: 'events-say-what-happened',
    why: 'the boot is acknowledged already, as an event has said',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [
      patch('return up.vouched ? write<Node, never>(node, because, { aside: true }) : nothing(because);', 'return nothing(because);'),
    ],
  },
  {
    name: 'what-is-vouched-for-counts-from-its-queue',
    breaks: 'leases-count-from-the-door',
    why: 'as all other reports of the ingest bus do',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch('EpochMs.parse(taken <= sentAt ? taken : sentAt)', 'EpochMs.parse(taken <= sentAt ? sentAt : sentAt)')],
  },
  {
    name: 'nobody-knows-who-vouched',
    breaks: 'what-people-do-is-audited',
    why: 'reports are put down to nobody',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [patch('if (who === undefined || who === byBus ||', 'if (who !== byBus || who === byBus ||')],
  },
  {
    name: 'a-boot-that-is-vouched-for-is-not-told',
    breaks: 'events-say-what-happened',
    why: 'a node that is up has no event when it restarts',
    foundIn: { world: 'vouched', seed: 1 },
    patches: [
      patch("events: [...decision.events, concluded('node.acknowledged', next, { boot: next.boot.id })]", 'events: decision.events'),
    ],
  },
  {
    name: 'nobody-vouches-that-a-node-is-ready',
    breaks: 'who-is-vouched-for-is-up-at-the-end',
    why: 'node-up and heartbeats are what keeps a node alive, and its agent has still to say that it is ready',
    foundIn: { world: 'vouched', seed: 2 },
    patches: [
      patch(
        "if (report.type !== 'node.up') return decision.does === 'write'",
        "if (report.type === 'node.ready') return { does: 'nothing', because: 'for its agent to say' };\n  if (report.type !== 'node.up') return decision.does === 'write'",
      ),
    ],
  },
];
