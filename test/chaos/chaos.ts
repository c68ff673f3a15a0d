import { intervalMsOf, leaseMsOf } from '../../lib/core/lease.ts';
import { secondMs } from '../../lib/core/time.ts';
import { pause } from './drivers.ts';
import { judge } from './judge.ts';
import { beatMinMs } from './keeper.ts';
import { type Killed, killAround } from './killing.ts';
import { mischief } from './mischief.ts';
import { operator } from './operator.ts';
import { peace } from './peace.ts';
import { type ChaosOptions, type Stage, withStage } from './stage.ts';

/** What came of it; `readyMs` are the times from each start after a kill until the host listened. */
export type ChaosOutcome = Omit<Killed, 'faults'> & {
  readonly acknowledged: Readonly<Record<string, number>>;
  /** Who was where in the end, and how many client systems had to be told to knock for that. */
  readonly census: { readonly nodesUp: number; readonly onboarded: number; readonly reminded: number };
  /** Events that came to the subscriber, by type. */
  readonly events: Readonly<Record<string, number>>;
  readonly repeats: number;
  readonly seconds: number;
  /** Whatever speaks against one of the rules, which it names. */
  readonly violations: readonly string[];
};

/** One node in so many stops for good, so that its client systems must go elsewhere. */
const goneShare = 1 / 50;
/** Something happens to a node about so often. */
const mischiefPerSecond = 4;

/**
 * Drives nodes and client systems against a host that is killed again and again, and looks whether anything
 * acknowledged was lost.
 */
export const chaos = (options: ChaosOptions): Promise<ChaosOutcome> => withStage(options, play);

async function play(stage: Stage): Promise<ChaosOutcome> {
  const { options, drive, nodes, clients } = stage;
  const startedAt = performance.now();
  const [quiet, enough] = [new AbortController(), new AbortController()];
  for (const machine of nodes.machines) nodes.boot(machine);
  const work = [
    arrive(stage, quiet.signal),
    operator(drive, clients.knockNow, enough.signal),
    bury(stage),
    mischief({ nodes, everyMs: secondMs / mischiefPerSecond, silentMs: silentMs(options), drive, enough: quiet.signal }),
  ];
  const { faults, ...killed } = await killAround(stage);
  quiet.abort();
  options.say('nobody is killed any more');
  await someoneIsOnboarded(stage);
  enough.abort();
  await Promise.all(work.filter((_, n) => n !== 1));
  const { census, reminded } = await peace(stage);
  const found = await judge(stage, census);
  const { byType: events, repeats } = stage.subscriber.seen();
  const seconds = (performance.now() - startedAt) / 1000;
  const nodesUp = census.nodes.filter(({ status }) => status === 'up').length;
  const onboarded = census.systems.filter(({ status }) => status === 'onboarded').length;
  const dark = killed.blackouts.flatMap((one) => one.violations.map((what) => `after a power cut: ${what}`));
  const all = [...faults, ...dark, ...found];
  return { ...killed, acknowledged: drive.ack.counts, census: { nodesUp, onboarded, reminded }, events, repeats, seconds, violations: all };
}

/** How long the play waits for a first client system to be onboarded at the most: some hosts never let one. */
const onboardedWithinMs = 60_000;

/**
 * A busy machine may have come no further than to join by now. An operator goes on until a confirmation was answered,
 * so that there is one which could be lost.
 */
async function someoneIsOnboarded({ drive }: Stage): Promise<void> {
  const until = Date.now() + onboardedWithinMs;
  while (drive.ack.onboarded.size === 0 && Date.now() < until) if (!(await pause(100, drive))) return;
}

/** Long enough for a node to be lost. */
const silentMs = ({ nodes }: ChaosOptions): number => leaseMsOf(intervalMsOf(nodes, beatMinMs)) + 4 * secondMs;

/**
 * Client systems come as long as the host is killed, so that every kill meets some at every step; whoever is left comes
 * then.
 */
async function arrive({ options, clients, drive }: Stage, enough: AbortSignal): Promise<void> {
  const tickMs = 50;
  const perTick = (options.clients / (options.kills * options.calmMaxMs * 0.5)) * tickMs;
  for (let due = 0; clients.fps.length < options.clients; ) {
    due += enough.aborted ? 4 * perTick : perTick;
    while (clients.fps.length < Math.min(due, options.clients)) clients.start();
    if (!(await pause(tickMs, drive))) return;
  }
}

/** Some nodes end for good, early enough to be missed before the end. */
async function bury({ options, nodes, drive }: Stage): Promise<void> {
  if (!(await pause(options.calmMaxMs / 2, drive))) return;
  for (const machine of nodes.machines.slice(0, Math.round(options.nodes * goneShare))) {
    // Nobody misses a node that never was one: on a slow machine not everybody has joined yet. One that has said that
    // it leaves is waited for, with its client systems.
    while (machine.busy || machine.agent?.state().phase !== 'member') if (!(await pause(100, drive))) return;
    machine.busy = true;
    machine.isGone = true;
    nodes.off(machine);
  }
}
