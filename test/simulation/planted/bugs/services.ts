import { type Bug, patch } from '../bug.ts';

const wanted = 'services-are-as-wanted-at-the-end';
const names = 'a-service-name-has-one-holder';
const words = 'words-of-older-instances-change-nothing';
const attempts = 'a-failed-service-is-tried-a-few-times';
const stays = 'a-stopped-service-is-not-started-again';

/** Mistakes about services and what they hold. */
export const serviceBugs: readonly Bug[] = [
  {
    name: 'whoever-comes-has-the-name',
    breaks: names,
    why: 'a type has one service on a node, and the name is that of its type',
    foundIn: { world: 'serving', seed: 1 },
    patches: [patch('  if (holder && holder.type !== type.name)\n', '  if (holder && !holder.type)\n')],
  },
  {
    name: 'a-name-outlives-its-service',
    breaks: names,
    why: 'the row of the service is gone, and nobody looks at the name',
    foundIn: { world: 'serving', seed: 1 },
    patches: [patch('state ? gone : nothing(gone.because)', 'nothing(gone.because)')],
  },
  {
    name: 'whoever-takes-a-resource-has-it',
    breaks: 'an-exclusive-resource-has-one-holder',
    why: 'a service knows best what it holds',
    foundIn: { world: 'serving', seed: 1 },
    patches: [patch('  if (taken !== undefined) return moved(', "  if (taken === '') return moved(")],
  },
  {
    name: 'a-resource-outlives-its-holder',
    breaks: 'an-exclusive-resource-has-one-holder',
    why: 'whoever has ended says what it has let go, or has said so before',
    foundIn: { world: 'serving', seed: 10 },
    patches: [
      patch(
        "...left.map((one) => resourceFollows(of, one, 'lets go'))",
        "...left.slice(0, after ? 9 : 0).map((one) => resourceFollows(of, one, 'lets go'))",
      ),
    ],
  },
  {
    name: 'any-service-can-do-anything',
    breaks: 'services-move-along-their-moves',
    why: 'whatever is reported is so: the agent must know',
    foundIn: { world: 'serving-late', seed: 1 },
    patches: [patch('  if (!canMove(state.is, move)) return undefined;\n', '')],
  },
  {
    name: 'what-is-ready-has-been-said-to-begin',
    breaks: 'replay-changes-nothing',
    why: 'one that has failed is begun before it is ready',
    foundIn: { world: 'drifting-apart', seed: 9_328_742 },
    patches: [patch("service.state.is === 'failed' && isOfNext(service, report);", "service.state.is === 'failed' && report.seq === 0;")],
  },
  {
    name: 'what-was-ready-has-not-ended',
    breaks: wanted,
    why: 'its agent says that it is ready, so it is: when it said so matters little',
    foundIn: { world: 'serving-alone', seed: 3_000_096_034 },
    patches: [patch('if (isOver && isBeforeBorder(heard, report))', 'if (isOver && isEnd && isBeforeBorder(heard, report))')],
  },
  {
    name: 'a-service-is-its-type',
    breaks: words,
    why: 'one of a type runs on a node, so that whatever is said of that type is said of it',
    foundIn: { world: 'serving', seed: 1 },
    patches: [patch('if (report.data.instance !== instanceOf(before))', 'if (report.data.instance === undefined)')],
  },
  {
    name: 'an-old-word-of-a-service-counts',
    breaks: words,
    why: 'words come in the order in which they were said',
    foundIn: { world: 'serving-late', seed: 1 },
    patches: [
      patch('return seq > last || movesForward(service, report) ? undefined : ', 'return seq > 0 ? undefined : '),
      patch('return { ...heard, seq: Math.max(heard.seq, seq) };', 'return { ...heard, seq };'),
    ],
  },
  {
    name: 'what-is-not-held-is-let-go-unnoted',
    breaks: 'replay-changes-nothing',
    why: 'a word that changes nothing need not be kept',
    foundIn: { world: 'serving-late', seed: 11 },
    patches: [patch('return noted(service, also, `it does not hold', 'return noted(service, {}, `it does not hold')],
  },
  {
    name: 'a-check-that-was-overtaken-counts',
    breaks: 'replay-changes-nothing',
    why: 'a check that found what the last one did is no news, whichever the last one was',
    foundIn: { world: 'serving-late', seed: 31 },
    patches: [patch('return again ? nothing(because) : ', 'return again !== false ? nothing(because) : ')],
  },
  {
    name: 'a-failed-service-is-tried-at-once',
    breaks: attempts,
    why: 'the sooner it runs again the better',
    foundIn: { world: 'serving', seed: 1 },
    patches: [patch('retryAt: plusMs(now, retryMs)', 'retryAt: now')],
  },
  {
    name: 'a-failed-service-is-tried-for-ever',
    breaks: attempts,
    why: 'it may yet succeed',
    foundIn: { world: 'serving', seed: 2 },
    patches: [patch('!stopping && attempts < attemptsMax', '!stopping && attempts >= 0')],
  },
  {
    name: 'a-node-that-is-back-starts-what-was-stopped',
    breaks: stays,
    why: 'whatever is registered ran, and is to run again',
    foundIn: { world: 'serving', seed: 4 },
    patches: [
      patch("  if (service.stopping) return unregistered(service, 'its node does not list it, and it was ordered to stop');\n", ''),
    ],
  },
  {
    name: 'a-new-instance-does-not-wait-for-the-old-one',
    breaks: 'a-service-runs-once-on-its-host',
    why: 'the old one is of no use any more',
    foundIn: { world: 'serving', seed: 1 },
    patches: [
      patch(
        "if (wanted?.goal !== 'run' || wanted.instance !== held.instance) return stop(state, held, now);",
        "if (wanted?.goal === 'run' && wanted.instance !== held.instance) return start(state, held, wanted, now); if (wanted?.goal !== 'run') return stop(state, held, now);",
      ),
    ],
  },
  {
    name: 'a-message-is-given-until-it-is-answered',
    breaks: 'a-message-is-given-once',
    why: 'whatever was asked and not answered is asked again',
    foundIn: { world: 'interrupted', seed: 1 },
    patches: [
      patch(
        "  if (what !== 'message') return { next: withHeld(state, rest), actions: [] };",
        '  if (id) return { next: withHeld(state, rest), actions: [] };',
      ),
    ],
  },
  {
    name: 'an-agent-forgets-its-services',
    breaks: 'a-service-runs-once-on-its-host',
    why: 'an agent that starts anew reads what it is to run, and starts that',
    foundIn: { world: 'serving', seed: 4 },
    patches: [patch('held: [...held.values()].map(onDisk) }', 'held: [...held.values()].map(onDisk).slice(0, 0) }')],
  },
  {
    name: 'muster-says-what-a-host-runs',
    breaks: 'a-host-runs-only-what-it-allows',
    why: 'whoever orders a service has the right to, so it is started',
    foundIn: { world: 'serving', seed: 10 },
    patches: [patch('if (allowed.has(service)) return undefined;', 'if (program) return undefined;')],
  },
  {
    name: 'what-fits-now-is-taken',
    breaks: 'a-type-that-is-shut-out-takes-nothing-new',
    why: 'one check was late, and that is no reason to refuse a configuration whose check is not',
    foundIn: { world: 'late-checks', seed: 1 },
    patches: [patch('  if (shutOut) return out(', "  if (shutOut && verdict?.is === 'late') return out(")],
  },
  {
    name: 'what-has-failed-stays-so',
    breaks: wanted,
    why: 'somebody must look at it anyway',
    foundIn: { world: 'serving', seed: 1 },
    patches: [patch('!stopping && attempts < attemptsMax', '!stopping && attempts < 0')],
  },
  {
    name: 'whoever-may-look-sees-everything',
    breaks: 'no-secret-of-a-service-is-shown',
    why: 'a configuration is shown as it is stored',
    foundIn: { world: 'serving', seed: 1 },
    patches: [patch('schemaText.includes(keyword) ? replaced(JSON.parse(schemaText) as Json, value, () => mask) : value', 'value')],
  },
  {
    name: 'what-is-named-is-there',
    breaks: 'what-a-service-needs-is-there-when-it-is-ordered',
    why: 'whoever orders a service knows what it needs',
    foundIn: { world: 'drifting', seed: 1 },
    patches: [patch('  missing.length === 0 ? undefined', '  missing.length < 9 ? undefined')],
  },
  {
    name: 'no-configuration-is-accepted',
    breaks: wanted,
    why: 'what an operator has ordered stays what is ordered',
    foundIn: { world: 'drifting', seed: 13 },
    patches: [patch("  if (!verdict) return 'it was not checked';", "  if (!verdict?.is.startsWith('x')) return 'it was not checked';")],
  },
  {
    name: 'nothing-is-restored',
    breaks: wanted,
    why: 'it is shown, and somebody will look at it',
    foundIn: { world: 'drifting', seed: 1 },
    patches: [patch('(service.restored ?? 0) >= attemptsMax ?', '(service.restored ?? 0) >= 0 ?')],
  },
  {
    name: 'an-old-configuration-counts',
    breaks: 'replay-changes-nothing',
    why: 'words about a configuration come in the order in which they were said',
    foundIn: { world: 'drifting', seed: 2 },
    patches: [patch('(said ? Math.max(saidTo, configured) : seq)', '(said ? Math.min(0, saidTo, configured) : seq)')],
  },
];
