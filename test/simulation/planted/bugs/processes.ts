import { type Bug, patch } from '../bug.ts';

const moves = 'processes-move-along-their-moves';
const wanted = 'processes-are-as-wanted-at-the-end';

/** Mistakes about storage clusters and the processes in them. */
export const processBugs: readonly Bug[] = [
  {
    name: 'any-process-can-do-anything',
    breaks: moves,
    why: 'whatever is reported is so: the agent must know',
    foundIn: { world: 'storing-late', seed: 3 },
    patches: [patch('    if (!canMove(is, move)) return undefined;\n', '')],
  },
  {
    name: 'an-old-word-counts',
    breaks: 'words-of-processes-never-go-back',
    why: 'words come in the order in which they were said',
    foundIn: { world: 'storing-late', seed: 1 },
    patches: [patch('return seq > heard.seq ? undefined : ', 'return seq > 0 ? undefined : ')],
  },
  {
    name: 'a-removed-process-keeps-its-endpoint',
    breaks: 'an-endpoint-is-one-processes',
    why: 'the row of the process is gone, and nobody looks at the endpoint',
    foundIn: { world: 'storing', seed: 1 },
    patches: [patch("    row('endpoint', ", "    row('fids', ")],
  },
  {
    name: 'a-host-keeps-what-was-removed',
    breaks: 'clusters-are-whole',
    why: 'whoever reads the list of a host finds no row, and leaves it out',
    foundIn: { world: 'storing', seed: 1 },
    patches: [patch('processes: left.map((process) => process.fid) }', 'processes: meroNode.processes }')],
  },
  {
    name: 'an-unmanaged-process-follows-the-level',
    breaks: 'unmanaged-processes-are-left-alone',
    why: 'every process has a level, or none',
    foundIn: { world: 'storing', seed: 1 },
    patches: [patch("  if (!isManaged(process)) return 'watch';\n", '')],
  },
  {
    name: 'a-cluster-jumps-to-its-highest-level',
    breaks: 'levels-go-one-at-a-time',
    why: 'what is to be ONLINE is to run, all of it',
    foundIn: { world: 'storing', seed: 1 },
    patches: [patch('mayRiseTo(level + 1, view) ? level + 1 : level)', 'mayRiseTo(level + 1, view) ? levelMax : level)')],
  },
  {
    name: 'a-failed-process-is-tried-at-once',
    breaks: 'a-failed-process-is-tried-a-few-times',
    why: 'the sooner it runs again the better',
    foundIn: { world: 'storing', seed: 3 },
    patches: [patch('retryAt: plusMs(now, limits.retryMs)', 'retryAt: now')],
  },
  {
    name: 'a-failed-process-is-tried-for-ever',
    soonest: true,
    breaks: 'a-failed-process-is-tried-a-few-times',
    why: 'it may yet succeed',
    foundIn: { world: 'storing', seed: 4 },
    patches: [patch('...(attempts < limits.attemptsMax && {', '...({'), patch('  if (attempts >= attemptsMax) {', '  if (attempts < 0) {')],
  },
  {
    name: 'whoever-came-up-begins-anew',
    breaks: 'a-failed-process-is-tried-a-few-times',
    why: 'a process that is ready has come up, and its attempts are over',
    foundIn: { world: 'shaky', seed: 1 },
    patches: [
      patch(
        "return process.state.is === 'online' && plusMs(process.since, steadyMs(limits)) <= now ? rest",
        "return process.state.is === 'online' && steadyMs(limits) > 0 && process.since <= now ? rest",
      ),
    ],
  },
  {
    name: 'an-agent-forgets-what-it-runs',
    breaks: 'a-process-runs-once-on-its-host',
    why: 'an agent that starts anew reads what it is to run, and starts that without a look',
    foundIn: { world: 'storing', seed: 3 },
    patches: [
      patch('held: [...held.values()].map(onDisk),\n', 'held: [...held.values()].slice(0, 0).map(onDisk),\n'),
      patch('isOrdered(held, wanted) && held.looked', 'isOrdered(held, wanted)'),
    ],
  },
  {
    name: 'an-agent-tries-for-ever-while-it-is-alone',
    breaks: 'agents-go-on-alone-for-a-while',
    why: 'nobody is there who could look, so it goes on',
    foundIn: { world: 'alone-shaky', seed: 1 },
    patches: [patch('again < attemptsMax && untoldFrom', 'attemptsMax > 0 && untoldFrom')],
  },
  {
    name: 'an-agent-is-alone-for-as-long-as-it-likes',
    breaks: 'agents-go-on-alone-for-a-while',
    why: 'what was ordered holds until something else is ordered',
    foundIn: { world: 'outage', seed: 1 },
    patches: [patch('this.#last !== undefined && sinceMs(this.#last, this.#clocks()) < aloneMaxMs', 'this.#last !== undefined')],
  },
  {
    name: 'a-level-is-told-to-nobody',
    breaks: wanted,
    why: 'agents ask for what they should run from time to time anyway',
    foundIn: { world: 'storing', seed: 10 },
    patches: [patch('{ level, levelSince: now, goals: cluster.goals + 1 })', '{ level, levelSince: now })')],
  },
  {
    name: 'a-reboot-is-no-new-chance',
    breaks: wanted,
    why: 'what has failed is looked after by people',
    foundIn: { world: 'broken', seed: 2 },
    patches: [patch('(!isOver || isTriedAgain(process, origin))', '!isOver')],
  },
];
