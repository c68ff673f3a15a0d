import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from '../../tools/check-deploy/processes.ts';
import { Unavailable } from '../../tools/check-deploy/python.ts';
import { NoPostgres } from '../../tools/support/uyuni/postgres/programs.ts';

/** What a check plays with: a folder of its own, and what ends that which it has started. */
export type Playing = { readonly root: string; readonly stops: (() => Promise<void>)[] };

/** A check with real programs: its command, the longest that it may take, and the logs in its folder. */
export type RealCheck = {
  readonly name: string;
  /** How the name of its folder begins. */
  readonly prefix: string;
  readonly patienceMs: number;
  readonly logs: readonly string[];
  play(playing: Playing): Promise<void>;
};

/**
 * Plays a check and ends this process: with 0 when it has passed, or when a program is missing and this is not CI; with
 * 1 when it has failed. Whatever it has started ends with it.
 */
export async function playCheck({ name, prefix, patienceMs, logs, play }: RealCheck): Promise<never> {
  const root = mkdtempSync(join(tmpdir(), prefix));
  const stops: Playing['stops'] = [];
  const startedAt = performance.now();
  let ending: Promise<never> | undefined;
  const ended = async (code: number, reason: string): Promise<never> => {
    for (const stop of stops.reverse()) await stop();
    await stopAll();
    if (code === 1) showLogs(root, logs);
    rmSync(root, { recursive: true, force: true });
    console.log(`\n${name} ${reason} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`);
    process.exit(code);
  };
  const end = (code: number, reason: string): Promise<never> => {
    ending ??= ended(code, reason);
    return ending;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130, 'interrupted'));
  setTimeout(() => void end(1, `FAILED: not done after ${patienceMs / 60_000} minutes`), patienceMs).unref();
  try {
    await play({ root, stops });
    return await end(0, 'passed');
  } catch (error) {
    const isMissing = error instanceof Unavailable || error instanceof NoPostgres;
    if (isMissing) return end(process.env['CI'] === 'true' ? 1 : 0, `SKIPPED: ${error.message}`);
    console.log(`\n${error instanceof Error ? error.message : String(error)}`);
    return end(1, 'FAILED');
  }
}

function showLogs(root: string, logs: readonly string[]): void {
  for (const log of logs.filter((one) => existsSync(join(root, one))))
    console.log(`\n${log}:\n${readFileSync(join(root, log), 'utf8').split('\n').slice(-40).join('\n')}`);
}
