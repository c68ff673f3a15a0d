import { type Bug, patch } from '../bug.ts';

/** Mistakes in the one path: read, decide, commit, publish. */
export const runtimeBugs: readonly Bug[] = [
  {
    name: 'apply-reads-once',
    breaks: 'rows-are-chains',
    why: 'after a conflict the same row is written over again, one revision later, whatever stands there now',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch('readonly applied: Applied<S> }) | undefined;', 'readonly applied: Applied<S> }) | undefined; let kept: any;'),
      patch('const row = await next();', 'const row: any = (kept = kept ? { ...kept, rev: kept.rev + 1 } : await next());'),
    ],
  },
  {
    name: 'apply-does-not-know-its-own-commit',
    breaks: 'an-order-is-answered-as-it-was-carried-out',
    why: 'a row that has moved was moved by somebody else',
    foundIn: { world: 'unanswered', seed: 3 },
    patches: [patch('if (tried && isAsPut(row, tried))', 'if (tried && false)')],
  },
  {
    name: 'chance-is-not-the-shells',
    breaks: 'same-seed-same-history',
    why: 'Math.random where the shell has a stream of its own',
    foundIn: { world: 'tiny', seed: 1 },
    patches: [
      patch(
        'failure = passing(error);\n      if (attempt < attemptsMax) await shell.sleep(shell.random()',
        'failure = passing(error);\n      if (attempt < attemptsMax) await shell.sleep(Math.random()',
      ),
    ],
  },
  {
    name: 'a-function-writes-what-is-not-its-own',
    breaks: 'functions-write-what-is-theirs',
    why: 'machines that knock are counted where hosts are that wait, which the role of the knock may not write on AWS',
    foundIn: { world: 'calm', seed: 1 },
    patches: [patch("{ noun: 'source', id", "{ noun: 'pool-source', id")],
  },
  {
    name: 'the-simulation-has-a-fault',
    breaks: 'every-history-ends',
    why: 'the simulation itself has a fault, and it must not look like a history that holds',
    foundIn: { world: 'weather', seed: 1 },
    patches: [patch('judge.world = world;', "judge.world = world; throw new Error('a fault of the simulation');")],
  },
  {
    name: 'events-are-counted-by-commits',
    breaks: 'events-are-numbered-without-holes',
    why: 'a commit of two events counts as one',
    foundIn: { world: 'calm', seed: 3 },
    patches: [patch('eventSeq: eventSeq + decision.events.length,', 'eventSeq: eventSeq + 1,')],
  },
  {
    name: 'a-tick-commits-the-last-events-again',
    breaks: 'events-are-numbered-without-holes',
    why: 'the same row with another wakeAt keeps the events of its last commit, and the feed publishes them again',
    foundIn: { world: 'away', seed: 3 },
    patches: [patch('return { ...content, events: [], ', 'return { ...content, ')],
  },
  {
    name: 'a-plan-is-not-fenced',
    breaks: 'what-people-do-is-audited',
    why: 'rows are read again just before the commit, and what was planned from older ones is written over them',
    foundIn: { world: 'gusty', seed: 2 },
    patches: [
      patch(
        'const rows = await reading.rows(changes.map((change) => change.ref));',
        'const rows = await new Reading(shell).rows(changes.map((change) => change.ref));',
      ),
      patch('if ((row?.rev ?? 0) !== readRev)', 'if (false)'),
      patch(
        'return put ? { put, readRev } : { check: keyOf(ref), readRev };',
        'return put ? { put, readRev: row?.rev ?? 0 } : { check: keyOf(ref), readRev: row?.rev ?? 0 };',
      ),
    ],
  },
  {
    name: 'a-lost-publication-is-forgotten',
    breaks: 'events-reach-the-subscriber',
    why: 'the bus refused a part, and the feed goes on as if it had not',
    foundIn: { world: 'tiny', seed: 3 },
    patches: [patch('  await putOnBus(all, shell);\n', '  await putOnBus(all, shell).catch(() => undefined);\n')],
  },
  {
    name: 'an-event-is-of-when-it-is-published',
    soonest: true,
    breaks: 'events-reach-the-subscriber',
    why: 'a repeat is another event to whoever compares them',
    foundIn: { world: 'weather', seed: 1 },
    patches: [
      patch(
        'shell.bus.publish(all.flatMap((row) => envelopesOf({ row }, shell.settings.deployment)));',
        'shell.bus.publish(all.flatMap((row) => envelopesOf({ row }, shell.settings.deployment).map((event) => ({ ...event, time: new Date(shell.now()).toISOString() }))));',
      ),
    ],
  },
  {
    name: 'a-busy-table-is-a-repeat',
    breaks: 'history-keeps-every-event',
    why: 'a table that was only busy with the rows is taken for one that has the entries already',
    foundIn: { world: 'tiny', seed: 2 },
    patches: [
      patch(
        'for (const batch of batchesOf(additions, limits)) await append(shell, batch);',
        'for (const batch of batchesOf(additions, limits)) await append({ ...shell, table: { ...shell.table, commit: (changes) => shell.table.commit(changes).catch(() => undefined) } }, batch);',
      ),
    ],
  },
  {
    name: 'history-is-written-in-passing',
    breaks: 'history-keeps-every-event',
    why: 'nobody waits for it, and what fails is nobody’s',
    foundIn: { world: 'tiny', seed: 1 },
    patches: [patch('  await recorder.keep(shell, all);\n', '  recorder.keep(shell, all).catch(() => undefined);\n')],
  },
  {
    name: 'what-was-done-is-handed-back',
    breaks: 'nothing-stays-under-way',
    why: 'a message that was worked on comes again, until it is a dead letter',
    foundIn: { world: 'alone', seed: 2 },
    patches: [
      patch(
        'await work(parse(schemas, message, shell), shell);\n    return false;',
        'await work(parse(schemas, message, shell), shell);\n    return true;',
      ),
    ],
  },
];
