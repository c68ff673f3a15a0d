import { execFile } from 'node:child_process';

/** The output of a command, and its exit code. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** The operator at the command line. */
export type Operator = {
  /** Runs `muster` as an operator would. */
  muster(...words: readonly string[]): Promise<Ran>;
  /** Runs `muster-agent` on a host, beside the agent that runs there. */
  musterAgent(host: string, ...words: readonly string[]): Promise<Ran>;
};

/** Runs a command of the operator that must succeed; gives what it printed. Throws its errors. */
export async function done({ muster }: Pick<Operator, 'muster'>, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await muster(...words);
  if (code !== 0) throw new Error(`muster ${words.join(' ')} ended with ${code}:\n${err}${out}`);
  return out;
}

/** Runs a command of `muster-agent` on a host that must succeed; gives what it printed and noted. Throws its errors. */
export async function doneOn({ musterAgent }: Pick<Operator, 'musterAgent'>, host: string, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await musterAgent(host, ...words);
  if (code !== 0) throw new Error(`muster-agent ${words.join(' ')} on ${host} ended with ${code}:\n${err}${out}`);
  return `${out}${err}`;
}

/** Runs a program with this environment added, to its end; rejects when that is interrupted before. */
export const ran = ([file, ...words]: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Ran> =>
  new Promise((resolve, reject) => {
    execFile(file!, words, { env: { ...process.env, ...env }, encoding: 'utf8', signal }, (error, out, err) => {
      if (signal.aborted) reject(new Error('interrupted'));
      else resolve({ code: error ? Number(error.code ?? 1) : 0, out, err });
    });
  });
