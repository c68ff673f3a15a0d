import { type Bug, patch } from '../bug.ts';

const sweep = 'lib/sweep/sweep.ts';
const lateness = 'lib/sweep/lateness.ts';
const tick = 'lib/nodes/on-tick.ts';
const lease = 'lib/nodes/lease.ts';
const beat = 'lib/nodes/on-heartbeat.ts';

/** Mistakes in what time does: leases, grace, what is due. */
export const sweepBugs: readonly Bug[] = [
  {
    name: 'a-report-clears-the-alarm',
    breaks: 'tbd',
    why: 'what a report decides replaces when the row is due, and so nobody ever misses its node',
    patches: [
      patch(
        'lib/runtime/content.ts',
        'const wakeAt = exact ? decision.wakeAt : earlier(row?.gone ? undefined : row?.wakeAt, decision.wakeAt);',
        'const wakeAt = decision.wakeAt;',
      ),
    ],
  },
  {
    name: 'a-lease-counts-from-when-it-is-worked-on',
    breaks: 'tbd',
    why: 'a backlog keeps dead nodes up',
    patches: [
      patch(beat, '  ...heardBy(node, beat),', '  ...heardBy(node, { ...beat, receivedAt: (beat as any).now }),'),
      patch(
        beat,
        'export function onHeartbeat(node: Node, beat: NodeHeartbeat, now: EpochMs): Decision<Node> {',
        'export function onHeartbeat(node: Node, said: NodeHeartbeat, now: EpochMs): Decision<Node> {\n  const beat = { ...said, now };',
      ),
    ],
  },
  {
    name: 'a-backlog-is-a-sign-of-life',
    breaks: 'tbd',
    why: 'a heartbeat older than its lease is taken all the same',
    patches: [
      patch(beat, 'if (leaseUntilOf(beat) <= now)', 'if (false)'),
      patch('lib/doors/reports.ts', "if (report.type === 'node.heartbeat' && leaseUntilOf(report) <= shell.now())", 'if (false)'),
    ],
  },
  {
    name: 'an-older-report-shortens-the-lease',
    breaks: 'tbd',
    why: 'whatever comes last counts, not what was received last',
    patches: [patch(lease, 'if (heardAt === undefined || report.receivedAt > heardAt)', 'if (true)')],
  },
  {
    name: 'a-node-is-missed-too-soon',
    breaks: 'tbd',
    why: 'one lost heartbeat and it is down',
    patches: [patch(lease, '3 * (1 + jitter) * intervalMs + 5 * secondMs;', '1.2 * intervalMs;')],
  },
  {
    name: 'no-grace-after-a-sleep',
    breaks: 'tbd',
    why: 'we slept, and everybody else is expired for it',
    patches: [
      patch(
        tick,
        '(graceUntil !== undefined && graceUntil > at ? graceUntil : at)',
        '(graceUntil !== undefined && graceUntil < at ? graceUntil : at)',
      ),
    ],
  },
  {
    name: 'a-sleep-goes-unnoticed',
    breaks: 'tbd',
    why: 'only a row of the sweep itself tells that it slept',
    patches: [patch(lateness, 'const slept = row !== undefined && ', 'const slept = row === undefined && ')],
  },
  {
    name: 'grace-without-end',
    breaks: 'tbd',
    why: 'a sweep that is late time and again expires nobody',
    patches: [
      patch(lateness, 'const grants = slept && (row.graceUntil === undefined || now > row.graceUntil + leaseMs);', 'const grants = true;'),
    ],
  },
  {
    name: 'only-what-was-due-before-is-planned',
    breaks: 'tbd',
    why: 'a node that has just become due is left to nobody',
    patches: [patch(sweep, 'if (!state || wakeAt === undefined || wakeAt > shell.now()) return;', 'return;')],
  },
  {
    name: 'one-shard-is-swept',
    breaks: 'tbd',
    why: 'the due index has four',
    patches: [patch(sweep, 'Array.from({ length: dueShards },', 'Array.from({ length: 1 },')],
  },
  {
    name: 'one-failure-stops-the-sweep',
    breaks: 'tbd',
    why: 'harmless: the next sweep goes on',
    patches: [patch(sweep, 'work.catch((error: unknown) => void failures.push(error));', 'work;')],
  },
  {
    name: 'clients-are-counted-twice',
    breaks: 'tbd',
    why: 'a count goes on from the one before',
    patches: [
      patch(
        'lib/sweep/count.ts',
        'counts.running ? new Uint8Array(counts.running.perSlot) : new Uint8Array(counts.perSlot.length);',
        'new Uint8Array(counts.running ? counts.running.perSlot : counts.perSlot);',
      ),
    ],
  },
  {
    name: 'a-node-is-dropped-too-soon',
    breaks: 'tbd',
    why: 'a reboot with a file system check costs it its membership',
    patches: [
      patch(
        'lib/zones/follow.ts',
        'const dropAt = plusMs(node.downAt, dropAfterMs);',
        'const dropAt = plusMs(node.downAt, dropAfterMs / 10);',
      ),
    ],
  },
  {
    name: 'a-node-is-never-dropped',
    breaks: 'tbd',
    why: 'it stays down for ever',
    patches: [patch('lib/zones/follow.ts', 'if (now >= dropAt)', 'if (false)')],
  },
  {
    name: 'a-hold-has-no-end',
    breaks: 'tbd',
    why: 'clients wait for a node that does not come back',
    patches: [patch('lib/zones/follow.ts', 'return until! <= now ? lose', 'return false ? lose')],
  },
  {
    name: 'a-hold-is-missed',
    breaks: 'tbd',
    why: 'a held node is silent because it is upgraded, and given up for it',
    patches: [patch(tick, "if (node.status === 'leaving' && node.leaving.mode === 'hold') return", 'if (false) return')],
  },
  {
    name: 'a-drain-ends-before-its-clients-were-told',
    breaks: 'tbd',
    why: 'its slots have moved, and that is enough',
    patches: [
      patch(
        'lib/zones/follow.ts',
        'const told = orderVersion === undefined || (releasedVersion ?? -1) >= orderVersion;',
        'const told = true;',
      ),
    ],
  },
];
