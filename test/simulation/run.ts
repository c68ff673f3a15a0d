import { loadFunctions } from '../../programs/local/functions.ts';
import { functions } from '../previous/functions.mjs';
import { keysGiven, verifyAudit } from './audit-verified.ts';
import type { Around, Functions } from './cluster.ts';
import type { Config } from './config.ts';
import type { Version } from './environment.ts';
import { Faults } from './faults.ts';
import { runGatewayHistory } from './gateway/run.ts';
import { begun, type Judge } from './invariants/index.ts';
import { beginning, Kernel } from './kernel.ts';
import type { Outcome, RunOptions } from './outcome.ts';
import { replay } from './replay.ts';
import { searcherIn } from './searched.ts';
import './signatures.ts';
import { allOf } from './watching.ts';
import { World } from './world/world.ts';

/**
 * How long a healed world may take to come to rest, in ms: a node that was given up, dead letters and a backlog fit.
 */
const restMaxMs = 90 * 60_000;
/** How long faults go on after the control plane woke up, at the least, in ms. */
const awakeMs = 2 * 60_000;
/** How often somebody searches meanwhile. */
const searches = 6;
/** How often it is asked whether it has. */
const lookEveryMs = 15_000;
/** How long what is under way is given to arrive once machines are silent; below a lease, so that nobody is missed. */
const quietMs = 5_000;

/**
 * Runs one history: faults, then healing, until everything is at rest or should long be; then everything is handed over
 * once more, which must change nothing. Ends at the first violation.
 */
export function runHistory(config: Config, options: RunOptions = {}): Promise<Outcome> {
  return config.gateway ? runGatewayHistory(config, options) : runDeployment(config, options);
}

async function runDeployment(config: Config, { onStep, untilMs = Number.POSITIVE_INFINITY }: RunOptions): Promise<Outcome> {
  const kernel = new Kernel(config.seed);
  if (onStep) kernel.onStep = (at, label) => onStep(at - beginning, label);
  const faults = new Faults(config, kernel);
  const judge = begun(kernel);
  const around: Around = { config, kernel, faults, watch: allOf(judge.watchers) };
  const world = new World(around, await versions());
  judge.world = world;
  const isOver = (): boolean => judge.isOver() || kernel.now - beginning > untilMs;
  await world.prepare();
  const given = keysGiven(world);
  const searcher = searcherIn(world, kernel);
  await searcher.follow();
  world.start();
  const end = kernel.now + config.faultMs;
  for (let n = 1; n <= searches && !isOver(); n++) {
    await kernel.run((end - Math.floor((config.faultMs * (searches - n)) / searches)) as typeof kernel.now, isOver);
    await searcher.follow();
  }
  // A sleep is slept to its end, and what waking up does is seen among faults too.
  while (!isOver() && !world.cluster.awake) await kernel.run((world.cluster.asleepUntil + awakeMs) as typeof kernel.now, isOver);
  if (!isOver()) await comeToRest(world, kernel, { judge, isOver, restMs: config.restMs ?? restMaxMs });
  if (!isOver()) await replay(world, kernel, judge);
  if (!isOver()) await searcher.look(judge);
  if (!isOver()) await verifyAudit(world, kernel, { judge, given });
  const { violations } = judge;
  const hash = (kernel.hash >>> 0).toString(16).padStart(8, '0');
  return { config, violations, hash, steps: kernel.steps, virtualMs: kernel.now - beginning - kernel.skippedMs, fired: faults.fired };
}

/** Heals the world and lets it come to rest. What keeps it from that is a violation once the time is over. */
async function comeToRest(
  world: World,
  kernel: Kernel,
  { judge, isOver, restMs }: { readonly judge: Judge; readonly isOver: () => boolean; readonly restMs: number },
): Promise<void> {
  world.heal();
  const end = kernel.now + restMs;
  while (!isOver() && kernel.now < end) {
    await kernel.run((kernel.now + lookEveryMs) as typeof kernel.now, isOver);
    if (judge.isAtRest()) break;
  }
  if (!isOver()) judge.settleUnrest();
  world.silence();
  await kernel.run((kernel.now + quietMs) as typeof kernel.now, isOver);
}

let loaded: Promise<Readonly<Record<Version, Functions>>> | undefined;
const versions = (): Promise<Readonly<Record<Version, Functions>>> => {
  loaded ??= loadFunctions().then((present) => ({ present, previous: new Map(Object.entries(functions)) }));
  return loaded;
};
