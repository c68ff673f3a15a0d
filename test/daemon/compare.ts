import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { seeded } from '../../tools/support/seeded.ts';
import { type History, playHistory, type Stepped } from './history.ts';

/** The first step of a history after which a program and the model differ. */
export type Difference = {
  readonly seed: number;
  readonly step: number;
  readonly input: unknown;
  readonly model: Stepped;
  readonly other: unknown;
};

/**
 * How many histories were compared, their steps, and how often each action was taken: what was never done is not
 * compared.
 */
export type Compared = {
  readonly histories: number;
  readonly steps: number;
  readonly actions: Readonly<Record<string, number>>;
  readonly difference?: Difference;
};

/** How many histories are under way at once: the program computes on one core while the model does on another. */
const ahead = 200;
/**
 * Sets the seeds of neighbours apart: the first numbers of near seeds are near each other (Knuth's multiplicative
 * hash).
 */
const spread = 2_654_435_761;

/**
 * Drives the model and a program (programs/client/go/cmd/vectors) through random histories until they differ; `seed`
 * makes the first history, the number after it the second. Rejects if the program fails.
 */
export async function compareHistories(
  program: string,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<Compared> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${program} ended with ${code ?? signal}`)));
  });
  failed.catch(() => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const played: { seed: number; history: History; stepped: readonly Stepped[] }[] = [];
  const tally = { histories: 0, steps: 0, actions: {} as Record<string, number> };
  try {
    for (let made = 0; tally.histories < count; tally.histories++) {
      for (; made < count && made < tally.histories + ahead; made++) {
        const one = playHistory(seeded(Math.imul(seed + made, spread)));
        played.push({ seed: seed + made, ...one });
        child.stdin.write(`${JSON.stringify(one.history)}\n`);
      }
      const line = await Promise.race([lines.next(), failed]);
      const one = played.shift()!;
      const difference = differenceIn(one, JSON.parse(line.value ?? '[]') as unknown[]);
      if (difference) return { ...tally, difference: { seed: one.seed, ...difference } };
      tallied(tally, one.stepped);
    }
    return tally;
  } finally {
    child.removeAllListeners('exit');
    child.stdin.destroy();
    child.kill();
  }
}

function tallied(tally: { steps: number; actions: Record<string, number> }, stepped: readonly Stepped[]): void {
  tally.steps += stepped.length - 1;
  for (const { actions } of stepped) for (const action of actions) tally.actions[action.do] = (tally.actions[action.do] ?? 0) + 1;
}

function differenceIn(
  { history, stepped }: { history: History; stepped: readonly Stepped[] },
  others: readonly unknown[],
): Omit<Difference, 'seed'> | undefined {
  // What is undefined in the model is absent on the wire.
  const models = JSON.parse(JSON.stringify(stepped)) as Stepped[];
  const step = models.findIndex((model, n) => !isDeepStrictEqual(model, others[n]));
  if (step === -1) return undefined;
  return { step, input: history.steps[step - 1], model: models[step]!, other: others[step] };
}
