import { type Bug, patch } from '../bug.ts';

const nodes = 'lib/doors/nodes.ts';
const queue = 'lib/runtime/on-queue.ts';
const join = 'lib/doors/join.ts';
const readmit = 'lib/doors/readmit.ts';
const systems = 'lib/doors/node-systems.ts';

/** Mistakes at the doors and the queues behind them. */
export const doorBugs: readonly Bug[] = [
  {
    name: 'a-door-answers-before-it-has-kept',
    breaks: 'tbd',
    why: 'a report is acknowledged and then lost',
    patches: [
      patch(
        nodes,
        "  shell.queue.send(one.type === 'node.heartbeat' ? 'heartbeats' : 'reports', JSON.stringify(one));",
        "  Promise.resolve(void shell.queue.send(one.type === 'node.heartbeat' ? 'heartbeats' : 'reports', JSON.stringify(one)).catch(() => undefined));",
      ),
    ],
  },
  {
    name: 'reports-go-where-heartbeats-go',
    breaks: 'tbd',
    why: 'that queue keeps a message for two minutes',
    patches: [
      patch(nodes, "shell.queue.send(one.type === 'node.heartbeat' ? 'heartbeats' : 'reports', ", "shell.queue.send('heartbeats', "),
    ],
  },
  {
    name: 'weather-is-acknowledged',
    breaks: 'tbd',
    why: 'a report that failed by weather is gone',
    patches: [
      patch(
        queue,
        "shell.log('warn', 'report.later', { id: letter?.id ?? id, reason: why.code, detail: why.message, receives });\n    return true;",
        'return false;',
      ),
    ],
  },
  {
    name: 'poison-is-thrown-away',
    breaks: 'tbd',
    why: 'what can never succeed leaves no trace',
    patches: [patch(queue, '    await putAside(shell, message, failure.code, failure.message);\n', '')],
  },
  {
    name: 'the-last-receive-is-like-any',
    breaks: 'tbd',
    why: 'what failed on its last receive goes to the dead letters of the queue, which nobody reads',
    patches: [
      patch(
        queue,
        "if (failure.retry === 'later' && message.receives < shell.settings.receivesMax) return failure;",
        "if (failure.retry === 'later') return failure;",
      ),
    ],
  },
  {
    name: 'one-report-fails-the-batch',
    breaks: 'tbd',
    why: 'the neighbours of a failed message are lost with it',
    patches: [patch(queue, 'return again.flat();', 'return again.length > 1 ? [] : again.flat();')],
  },
  {
    name: 'acknowledged-although-it-is-down',
    breaks: 'tbd',
    why: 'the agent goes on as if it were up, and nobody brings it back',
    patches: [
      patch(
        nodes,
        "node.boot?.id === body.boot.id && node.status !== 'down' && node.status !== 'suspect' && node.status !== 'dropped';",
        'node.boot?.id === body.boot.id;',
      ),
    ],
  },
  {
    name: 'a-heartbeat-of-another-boot-is-welcome',
    breaks: 'tbd',
    why: 'an agent with an old incarnation is never told, and never heard',
    patches: [patch(nodes, 'if (incarnation !== node.incarnation)', 'if (false)')],
  },
  {
    name: 'reports-of-another-boot-count',
    breaks: 'tbd',
    why: 'what an old boot said is done to the new one',
    patches: [
      patch('lib/nodes/decide.ts', 'if (report.incarnation !== undefined && report.incarnation !== node.incarnation)', 'if (false)'),
    ],
  },
  {
    name: 'a-leave-that-was-repeated-comes-true-again',
    breaks: 'tbd',
    why: 'the bus hands a report out again after an operator has decided otherwise',
    patches: [
      patch(
        'lib/nodes/on-word.ts',
        'if (report && node.word && (report.receivedAt <= node.word.at || report.id === node.word.report))',
        'if (false)',
      ),
    ],
  },
  {
    name: 'a-name-is-anybodys',
    breaks: 'tbd',
    why: 'two nodes of one name, and clients of both are sent to it',
    patches: [patch(join, 'holder && holder !== id ? await takeOver', 'false && holder ? await takeOver')],
  },
  {
    name: 'a-name-that-was-taken-over-comes-back',
    breaks: 'tbd',
    why: 'a node that was given up joins again under a name that is another’s now',
    patches: [
      patch(readmit, 'node && holder !== node.id ? nothing', 'node && !node ? nothing'),
      patch(nodes, "if (node.status === 'dropped') await refuseReplaced(shell, node);", ''),
    ],
  },
  {
    name: 'a-list-holds-who-was-banned',
    breaks: 'tbd',
    why: 'the index does not show the ban yet',
    patches: [patch(systems, "(_, i) => (rows[i]?.body as Client | undefined)?.standing !== 'accepted'", '() => false && rows.length > 0')],
  },
  {
    name: 'a-list-is-never-stale',
    breaks: 'tbd',
    why: 'a node keeps the list it first got',
    patches: [
      patch(
        nodes,
        'listStale: digest !== undefined && isStale(digest.listVersion, systems, zone?.revokedVersion ?? 0),',
        'listStale: false && isStale(0, systems, zone?.revokedVersion ?? 0),',
      ),
      patch(nodes, 'mapVersion: zone?.head.mapVersion ?? 0,', 'mapVersion: 0 * (zone?.head.mapVersion ?? 0),'),
    ],
  },
  {
    name: 'a-verdict-by-an-old-map',
    breaks: 'tbd',
    why: 'a key is turned away by a map that is older than the one its client was told by',
    patches: [patch(systems, '(await zoneNow(shell, node.zone)) ?? zone)', 'zone)')],
  },
  {
    name: 'facts-are-in-any-order',
    breaks: 'tbd',
    why: 'what a host was is written over what it is',
    patches: [patch('lib/hosts/host.ts', 'if (host && up.receivedAt <= host.at)', 'if (false)')],
  },
  {
    name: 'a-release-clears-later-orders',
    breaks: 'tbd',
    why: 'an order that the agent has not seen yet is taken for carried out',
    patches: [
      patch(
        'lib/desired/decide.ts',
        'filter((order) => order.mapVersion > mapVersion) ?? [];',
        'filter(() => false) ?? []; void mapVersion;',
      ),
    ],
  },
  {
    name: 'nobody-is-told-what-to-release',
    breaks: 'tbd',
    why: 'clients find out by their own interval, a quarter of an hour later',
    patches: [
      patch('lib/zones/release.ts', 'from === owner || from === nobody || !serves(', 'from === owner || from !== nobody || !serves('),
    ],
  },
  {
    name: 'a-lost-answer-is-a-refusal',
    breaks: 'tbd',
    why: 'our own commit, whose answer was lost, is decided upon again',
    patches: [patch('lib/runtime/apply.ts', 'if (tried && row?.by === input.id && row.rev === tried.rev)', 'if (false && tried)')],
  },
  {
    name: 'a-lost-answer-is-a-new-plan',
    breaks: 'tbd',
    why: 'a plan whose answer was lost is made again',
    patches: [patch('lib/runtime/apply-plan.ts', 'if (row?.by === input.id && row.rev === tried.rev) return tried.plan;', 'void row;')],
  },
  {
    name: 'a-call-is-made-twice',
    breaks: 'tbd',
    why: 'an Idempotency-Key is not looked at',
    patches: [patch('lib/runtime/idempotency.ts', 'if (before?.reply) return before.reply;', '')],
  },
];
