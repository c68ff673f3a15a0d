import { type Bug, patch } from '../bug.ts';

/** Mistakes in what time does: leases, grace, what is due. */
export const sweepBugs: readonly Bug[] = [
  {
    name: 'a-report-clears-the-alarm',
    breaks: 'roster-and-rows-agree',
    why: 'what a report decides replaces when the row is due, and so nobody ever misses its node',
    foundIn: { world: 'weather', seed: 3 },
    patches: [
      patch(
        'const wakeAt = exact ? decision.wakeAt : earlier(row?.gone ? undefined : row?.wakeAt, decision.wakeAt);',
        'const wakeAt = decision.wakeAt;',
      ),
    ],
  },
  {
    name: 'a-lease-counts-from-when-it-is-worked-on',
    breaks: 'leases-count-from-the-door',
    why: 'a backlog keeps dead nodes up',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch('  ...heardBy(node, heartbeat),', '  ...heardBy(node, { ...heartbeat, receivedAt: (heartbeat as any).now }),'),
      patch(
        'export function onHeartbeat(node: Node, heartbeat: NodeHeartbeat, now: EpochMs): Decision<Node> {',
        'export function onHeartbeat(node: Node, said: NodeHeartbeat, now: EpochMs): Decision<Node> {\n  const heartbeat = { ...said, now };',
      ),
    ],
  },
  {
    name: 'a-node-is-missed-too-soon',
    breaks: 'nobody-is-missed-within-a-lease',
    why: 'one lost heartbeat and it is down',
    foundIn: { world: 'busy', seed: 3 },
    patches: [patch('3 * (1 + jitter) * intervalMs + 5 * secondMs;', '1.2 * intervalMs;')],
  },
  {
    name: 'no-grace-after-a-sleep',
    breaks: 'nobody-is-missed-because-we-slept',
    why: 'we slept, and everybody else is expired for it',
    foundIn: { world: 'away', seed: 2 },
    patches: [
      patch(
        'graceUntil !== undefined && graceUntil > at ? graceUntil : at',
        'graceUntil !== undefined && graceUntil < at ? graceUntil : at',
      ),
    ],
  },
  {
    name: 'a-sleep-goes-unnoticed',
    soonest: true,
    breaks: 'nobody-is-missed-because-we-slept',
    why: 'only a row of the sweep itself tells that it slept',
    foundIn: { world: 'away', seed: 2 },
    patches: [patch('const slept = row !== undefined && ', 'const slept = row !== undefined && row.sweptAt > now && ')],
  },
  {
    name: 'grace-without-end',
    breaks: 'grace-is-granted-once',
    why: 'a sweep that is late time and again expires nobody',
    foundIn: { world: 'busy', seed: 3 },
    patches: [
      patch(
        'const grants = doubts && (row?.graceUntil === undefined || now > row.graceUntil + leaseMs);',
        'const grants = row !== undefined;',
      ),
    ],
  },
  {
    name: 'only-what-was-due-before-is-planned',
    breaks: 'everyone-is-at-home-at-the-end',
    why: 'a node that has just become due is left to nobody',
    foundIn: { world: 'alone', seed: 3 },
    patches: [patch('if (!state || wakeAt === undefined || wakeAt > shell.now()) return;', 'return;')],
  },
  {
    name: 'one-shard-is-swept',
    breaks: 'nothing-stays-due',
    why: 'the due index has four',
    foundIn: { world: 'still', seed: 1 },
    patches: [
      patch(
        'Array.from({ length: dueShards }, (_, shard) => shell.table.due(shard, shell.now(), dueLimitMax)',
        'Array.from({ length: 1 }, (_, shard) => shell.table.due(shard, shell.now(), dueLimitMax)',
      ),
    ],
  },
  {
    name: 'clients-are-counted-twice',
    breaks: 'counts-equal-a-recount',
    why: 'a count goes on from the one before',
    foundIn: { world: 'still', seed: 1 },
    patches: [
      patch(
        'counts.running ? new Uint8Array(counts.running.perSlot) : new Uint8Array(counted * 2);',
        'new Uint8Array(counts.running ? counts.running.perSlot : counts.perSlot);',
      ),
    ],
  },
  {
    name: 'a-node-is-never-dropped',
    breaks: 'silence-is-noticed',
    why: 'it stays down for ever',
    foundIn: { world: 'long', seed: 1 },
    patches: [patch('if (now >= dropAt &&', 'if (false &&')],
  },
  {
    name: 'a-dark-zone-is-given-up',
    breaks: 'who-falls-silent-together-is-held',
    why: 'a lease that ran out is a node that is lost, whatever becomes of the others',
    foundIn: { world: 'busy', seed: 3 },
    patches: [patch('held: holds.get(node.id)', 'held: undefined')],
  },
  {
    name: 'who-comes-back-is-heard-for-ever',
    breaks: 'who-falls-silent-together-is-held',
    why: 'a node whose return is being planned has called, and is not silent',
    foundIn: { world: 'lagging-pair', seed: 33 },
    patches: [patch('node.returning !== undefined && node.returning.leaseUntil > now', 'node.returning !== undefined')],
  },
  {
    name: 'a-hold-is-missed',
    breaks: 'nobody-is-missed-within-a-lease',
    why: 'a held node is silent because it is upgraded, and given up for it',
    foundIn: { world: 'busy', seed: 3 },
    patches: [
      patch(
        "if (node.status === 'leaving' && node.leaving.mode === 'hold') return nothing('the hold is not over', graced",
        "if (false) return nothing('the hold is not over', graced",
      ),
    ],
  },
  {
    name: 'a-drain-ends-before-its-clients-were-told',
    breaks: 'a-drain-ends-when-nobody-is-left',
    why: 'its slots have moved, and that is enough',
    foundIn: { world: 'late', seed: 10 },
    patches: [
      patch('const isReleased = orderVersion === undefined || (releasedVersion ?? -1) >= orderVersion;', 'const isReleased = true;'),
    ],
  },
  {
    name: 'the-first-sweep-has-a-row',
    breaks: 'functions-fail-by-weather-alone',
    why: 'there is always a last sweep, but for the first one',
    foundIn: { world: 'busy', seed: 3 },
    patches: [patch('const slept = row !== undefined && hasSlept(row, begins, now)', 'const slept = hasSlept(row!, begins, now)')],
  },
  {
    name: 'who-was-dropped-counts',
    breaks: 'the-deployment-counts-its-nodes',
    why: 'every node there ever was makes all others slower',
    foundIn: { world: 'pair', seed: 3 },
    patches: [patch('nodes: admittedIn(head.roster) } as const', 'nodes: head.roster.length / 3 } as const')],
  },
  {
    name: 'an-older-report-shortens-the-lease',
    breaks: 'leases-count-from-the-door',
    why: 'whatever comes last counts, not what was received last',
    foundIn: { world: 'doubled', seed: 1 },
    patches: [patch('if (heardAt === undefined || report.receivedAt > heardAt)', 'if (true)')],
  },
  {
    name: 'a-node-is-dropped-too-soon',
    breaks: 'nobody-is-missed-within-a-lease',
    why: 'a reboot with a file system check costs it its membership',
    foundIn: { world: 'upgraded', seed: 1 },
    patches: [
      patch('plusMs(node.downAt, dropMs) :', 'plusMs(node.downAt, dropMs / 10) :'),
      patch('wakeAt: plusMs(now, dropAfterMs) }', 'wakeAt: plusMs(now, dropAfterMs / 10) }'),
      patch('plusMs(node.downAt, dropAfterMs)', 'plusMs(node.downAt, dropAfterMs / 10)'),
    ],
  },
  {
    name: 'a-sweep-sends-before-it-works',
    breaks: 'silence-is-noticed-without-queues',
    why: 'its messages are quick to send, and then the whole minute is seen to',
    foundIn: { world: 'queueless', seed: 1 },
    patches: [
      patch('settled([work(shell), ...restOfMinute(shell, queue)])', 'settled(restOfMinute(shell, queue)).then(() => work(shell))'),
    ],
  },
  {
    name: 'a-hold-has-no-end',
    soonest: true,
    breaks: 'silence-is-noticed',
    why: 'clients wait for a node that does not come back',
    foundIn: { world: 'upgraded', seed: 1 },
    patches: [patch('if (deadline > now) return keepStanding', 'if (deadline > 0) return keepStanding')],
  },
];
