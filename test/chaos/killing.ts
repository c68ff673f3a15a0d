import { type Blackout, blackout } from './blackout.ts';
import { pause } from './drivers.ts';
import type { Stage } from './stage.ts';

/** What was done to the host, and what it did then. */
export type Killed = {
  running: number;
  starting: number;
  /** Second processes on the folder that were refused. */
  refused: number;
  readonly readyMs: number[];
  readonly blackouts: Blackout[];
  readonly faults: string[];
};

const calmMinMs = 500;
/** A start takes about half of this, so that some kills find it starting and others just started. */
const startingMs = 500;
/** How often a start is killed as well. */
const restless = 1 / 3;

/**
 * Kills the host so many times and starts it again; now and then it is killed while it starts, copied, or beset by a
 * second process.
 */
export async function killAround(stage: Stage): Promise<Killed> {
  const { options, random, keeper, drive } = stage;
  const killed: Killed = { running: 0, starting: 0, refused: 0, readyMs: [], blackouts: [], faults: [] };
  for (let left = options.kills; left > 0; ) {
    await pause(calmMinMs + random() * (options.calmMaxMs - calmMinMs), drive);
    // In the last rounds, when there is most to lose; a start that is killed as well takes a round.
    if (left <= 2 * (options.cuts - killed.blackouts.length)) await goDark(stage, killed);
    await beset(stage, killed);
    await keeper.kill();
    killed.running += 1;
    left -= 1;
    if (left > 0 && random() < restless) {
      const isUp = await keeper.startAndKill(random() * startingMs);
      killed[isUp ? 'running' : 'starting'] += 1;
      left -= 1;
    }
    killed.readyMs.push(await keeper.start());
    options.say(`${options.kills - left} of ${options.kills} kills, ready again after ${Math.round(killed.readyMs.at(-1)!)} ms`);
  }
  return killed;
}

async function goDark({ options, home, keeper, random, drive, subscriber }: Stage, { blackouts }: Killed): Promise<void> {
  const { ack } = drive;
  await someoneIsHeard(drive);
  const dark = await blackout({ home, keeper, program: options.program, random, ack, seen: subscriber.seen });
  blackouts.push(dark);
  options.say(
    `power cut on a copy: ${dark.lostBytes} of ${dark.tailBytes} bytes of the log's end lost, ${dark.violations.length} violations`,
  );
}

/** How long the cut waits for a heartbeat at the most: a host that takes none has other faults. */
const heardWithinMs = 15_000;

/** Waits until a heartbeat has just been answered, so that there is something which the cut could take. */
async function someoneIsHeard(drive: Stage['drive']): Promise<void> {
  const beats = (): number => drive.ack.counts['heartbeat'] ?? 0;
  const [before, until] = [beats(), Date.now() + heardWithinMs];
  while (beats() === before && Date.now() < until) await pause(10, drive);
}

/** While the first is at work, a second process is refused: one line, and the exit code for what is taken. */
async function beset({ keeper }: Stage, killed: Killed): Promise<void> {
  const { code, said, complained } = await keeper.another();
  if (code === 75 && said === '' && /^muster: another process has \S+muster\.db: [^\n]+\n$/.test(complained)) killed.refused += 1;
  else killed.faults.push(`folder: a second process ended with ${code}: ${said}${complained}`);
}
