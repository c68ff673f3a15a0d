import { type Bug, patch } from '../bug.ts';

/** Mistakes in what callers are answered. */
export const answerBugs: readonly Bug[] = [
  {
    name: 'any-boot-is-acknowledged',
    breaks: 'acknowledged-boots-are-committed',
    why: 'an agent is told the incarnation of the boot before',
    foundIn: { world: 'busy', seed: 3 },
    patches: [patch('const acknowledged = node.boot?.id === body.boot.id && ', 'const acknowledged = node.boot !== undefined && ')],
  },
  {
    name: 'an-answer-that-nobody-declared',
    breaks: 'every-answer-is-declared',
    why: 'the contract says 202 to events that were taken in',
    foundIn: { world: 'weather', seed: 1 },
    patches: [
      patch('return { status: 202, body: { accepted: body.length } };', 'return { status: 201, body: { accepted: body.length } };'),
    ],
  },
  {
    name: 'a-guard-tells-more-than-its-schema',
    breaks: 'every-answer-is-declared',
    why: 'a rule that is in force is a guard-rail of a drop, as it is',
    foundIn: { world: 'foreseen-while-held', seed: 3_000_001_001 },
    patches: [patch('holds: isSilent ? holds.map(named) : [],', 'holds: isSilent ? holds : [],')],
  },
  {
    name: 'every-status-reads-its-row',
    breaks: 'calls-cost-what-is-said',
    why: 'a fleet that asks all day reads the table all day',
    foundIn: { world: 'busy', seed: 3 },
    patches: [
      patch('const { token, zone } = held;', 'await clientRow(shell, query.fp);\n  const { token, zone } = held;'),
      patch(
        "if (request.method !== 'GET' || request.path !== '/system/status')",
        "if (request.method === 'GET' || request.path !== '/system/status')",
      ),
    ],
  },
  {
    name: 'any-map-does-for-a-token',
    breaks: 'no-answer-rests-on-an-older-map',
    why: 'a map of five seconds ago is as good as any, whatever the caller was told since',
    foundIn: { world: 'hasty', seed: 1 },
    patches: [patch('zoneByNumber(shell, token.zone, token.mapVersion);', 'zoneByNumber(shell, token.zone);')],
  },
  {
    name: 'the-quick-way-takes-any-map',
    breaks: 'no-answer-rests-on-an-older-map',
    why: 'what is at hand is fresh enough to answer by',
    foundIn: { world: 'hasty', seed: 8 },
    patches: [patch('if (!zone || zone.head.version < token.mapVersion ||', 'if (!zone ||')],
  },
  {
    name: 'every-knock-is-a-write',
    soonest: true,
    breaks: 'client-rows-are-written-when-something-is-new',
    why: 'a sign of life is noted whenever there is one',
    foundIn: { world: 'calm', seed: 3 },
    patches: [
      patch("if (now - client.seenAt < seenEveryMs && events.length === 0) return nothing('seen within the hour');", 'void seenEveryMs;'),
    ],
  },
  {
    name: 'who-waits-long-waits-longer',
    breaks: 'the-next-call-is-in-bounds',
    why: 'the span between two calls grows without a bound',
    foundIn: { world: 'away', seed: 2 },
    patches: [patch('clamp(sinceS / 10, waitingMinS, waitingMaxS)', 'clamp(sinceS / 10, waitingMinS, 10 * waitingMaxS)')],
  },
  {
    name: 'accepted-ones-stay-in-the-pool',
    breaks: 'rows-stand-in-their-lists',
    why: 'an administrator is asked about them for ever',
    foundIn: { world: 'calm', seed: 3 },
    patches: [
      patch(
        "if (standing === 'accepted') return { pk: clientList.zone(zone, clientPartitionOf(id)), sk: listedSort(id, pin) };",
        "if (standing === 'accepted') return { pk: clientList.pool(clientPartitionOf(id)), sk: listedSort(id, pin) };",
      ),
    ],
  },
  {
    name: 'an-accepted-one-is-listed-by-its-zone-alone',
    breaks: 'rows-stand-in-their-lists',
    why: 'one partition holds a whole fleet',
    foundIn: { world: 'busy', seed: 3 },
    patches: [
      patch(
        'return { pk: clientList.zone(zone, clientPartitionOf(id)), sk: listedSort(id, pin) };',
        'return { pk: clientList.zone(zone, 0), sk: listedSort(id, pin) };',
      ),
    ],
  },
  {
    name: 'a-minions-key-finds-nobody',
    breaks: 'every-key-finds-its-machine',
    why: 'only the first knock makes the row that leads to the machine, and it had no minion then',
    foundIn: { world: 'weather', seed: 1 },
    patches: [patch('[...alias.changes, ', '[...(known ? [] : alias.changes), ')],
  },
  {
    name: 'the-other-key-is-made-by-itself',
    breaks: 'every-key-finds-its-machine',
    why: 'two commits, and between them the function may die',
    foundIn: { world: 'busy', seed: 3 },
    patches: [
      patch(
        'return { changes: [{ ref, readRev: row?.rev ?? 0, decision }, ...free, ...others], because: [decision.because] };',
        'if (others.length > 0) await applyPlan(shell, { id: shell.newId() }, async (own) => { await own.rows(others.map((one) => one.ref)); return { changes: others, because: [] }; });\n    return { changes: [{ ref, readRev: row?.rev ?? 0, decision }, ...free], because: [decision.because] };',
      ),
    ],
  },
  {
    name: 'a-node-that-was-heard-comes-again-at-once',
    breaks: 'nodes-are-told-when-to-beat',
    why: 'a fleet that beats five times as often as it should',
    foundIn: { world: 'weather', seed: 1 },
    patches: [
      patch(
        'nextMs: jittered(isStation ? Math.min(intervalMs, stationMs) : intervalMs, shell.random()),',
        'nextMs: Math.min(askAgainMs, intervalMs),',
      ),
    ],
  },
];
