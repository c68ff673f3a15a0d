import { type Bug, patch } from '../bug.ts';

/** Mistakes at the doors and the queues behind them. */
export const doorBugs: readonly Bug[] = [
  {
    name: 'a-door-answers-before-it-has-kept',
    breaks: 'what-was-accepted-is-in-a-queue',
    why: 'a report is acknowledged and then lost',
    foundIn: { world: 'weather', seed: 1 },
    patches: [
      patch(
        'shell.queue.send(carriedBy(one), JSON.stringify(one));',
        'Promise.resolve(void shell.queue.send(carriedBy(one), JSON.stringify(one)).catch(() => undefined));',
      ),
    ],
  },
  {
    name: 'reports-go-where-heartbeats-go',
    breaks: 'functions-fail-by-weather-alone',
    why: 'that queue keeps a message for two minutes',
    foundIn: { world: 'late', seed: 3 },
    patches: [patch("(type === 'node.heartbeat' ? 'heartbeats' : 'reports')", "(type ? 'heartbeats' : 'reports')")],
  },
  {
    name: 'weather-is-acknowledged',
    breaks: 'every-report-comes-to-an-end',
    why: 'a report that failed transiently is gone',
    foundIn: { world: 'tiny', seed: 3 },
    patches: [
      patch(
        "shell.log('warn', 'report.later', { id: letter?.id ?? id, reason: why.code, detail: why.message, receives });\n    return true;",
        'return false;',
      ),
    ],
  },
  {
    name: 'poison-is-thrown-away',
    breaks: 'every-report-comes-to-an-end',
    why: 'what can never succeed leaves no trace',
    foundIn: { world: 'tiny', seed: 3 },
    patches: [patch('    await putAside(shell, message, failure.code, failure.message);\n', '')],
  },
  {
    name: 'acknowledged-although-it-is-down',
    soonest: true,
    breaks: 'doors-know-who-is-a-member',
    why: 'the agent goes on as if it were up, and nobody brings it back',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch(
        "node.boot?.id === body.boot.id && node.status !== 'down' && node.status !== 'suspect' && node.status !== 'dropped';",
        'node.boot?.id === body.boot.id;',
      ),
    ],
  },
  {
    name: 'a-heartbeat-of-another-boot-is-welcome',
    breaks: 'doors-know-who-is-a-member',
    why: 'an agent with an old incarnation is never told, and never heard',
    foundIn: { world: 'machines', seed: 3 },
    patches: [patch('if (incarnation !== node.incarnation)', 'if (false)')],
  },
  {
    name: 'a-leave-that-was-repeated-comes-true-again',
    breaks: 'the-last-word-about-leaving-holds',
    why: 'the bus hands a report out again after an operator has decided otherwise',
    foundIn: { world: 'late', seed: 1 },
    patches: [patch('if (report && node.word && (report.receivedAt <= node.word.at || report.id === node.word.report))', 'if (false)')],
  },
  {
    name: 'a-name-is-anybodys',
    breaks: 'a-name-is-one-node',
    why: 'two nodes of one name, and clients of both are sent to it',
    foundIn: { world: 'machines', seed: 3 },
    patches: [patch('holder && holder !== host.node\n', 'false && holder\n')],
  },
  {
    name: 'a-name-that-was-taken-over-comes-back',
    breaks: 'a-name-is-one-node',
    why: 'a node that was given up joins again under a name that is another’s now',
    foundIn: { world: 'copied', seed: 1 },
    patches: [
      patch('const decision = isTaken ? nothing', 'const decision = isTaken && !isTaken ? nothing'),
      patch("if (node.status === 'dropped') await refuseReplaced(shell, node);", ''),
    ],
  },
  {
    name: 'a-list-holds-who-was-banned',
    breaks: 'a-ban-is-for-ever',
    why: 'the index does not show the ban yet',
    foundIn: { world: 'banning', seed: 5 },
    patches: [patch('(_, i) => !isHere(rows[i]?.body)', '() => false && !isHere(rows[0]?.body)')],
  },
  {
    name: 'a-list-is-never-stale',
    soonest: true,
    breaks: 'a-node-knows-its-clients',
    why: 'a node keeps the list it first got',
    foundIn: { world: 'alone', seed: 3 },
    patches: [
      patch(
        'listStale: digest !== undefined && isStale(digest.listVersion, systems, revoked),',
        'listStale: false && isStale(0, systems, revoked),',
      ),
      patch('mapVersion: zone?.head.mapVersion ?? 0,', 'mapVersion: 0 * (zone?.head.mapVersion ?? 0),'),
    ],
  },
  {
    name: 'nobody-is-told-what-to-release',
    soonest: true,
    breaks: 'whoever-loses-slots-is-told',
    why: 'clients find out by their own interval, a quarter of an hour later',
    foundIn: { world: 'calm', seed: 3 },
    patches: [patch('from === owner || from === nobody || !mustNotify(from)', 'from === owner || from !== nobody || !mustNotify(from)')],
  },
  {
    name: 'a-call-is-made-twice',
    breaks: 'a-call-made-again-is-answered-the-same',
    why: 'an Idempotency-Key is not looked at',
    foundIn: { world: 'unheard', seed: 2 },
    patches: [patch('if (before?.reply) return before.reply;', '')],
  },
  {
    name: 'a-key-is-released-though-its-call-was-carried-out',
    breaks: 'what-a-key-adds-is-added-once',
    why: 'a call whose answer could not be remembered has failed, and what it did is committed without its answer',
    foundIn: { world: 'contended', seed: 1 },
    patches: [
      patch('changes: remembered ? [...plan.changes, remembered] : plan.changes', 'changes: plan.changes'),
      patch(
        'await keep(shell, ref, started, { call, reply });',
        'await remember(shell, ref, started, { call, reply }).catch(async (e: unknown) => { await remember(shell, ref, started, { call }); throw e; });',
      ),
    ],
  },
];
