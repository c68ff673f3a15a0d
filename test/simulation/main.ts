import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { exitCodes } from '../../programs/cli/exit-codes.ts';
import { type Asked, askedBy, Refused } from './command-line.ts';
import { drawnBy } from './config.ts';
import { configFrom } from './configuration.ts';
import { Pool } from './pool.ts';
import { regressionsFile } from './regressions.ts';
import { load } from './runner.ts';
import { simulate } from './simulate.ts';
import { traced } from './trace.ts';

/** How often a line of progress is written where lines cannot be replaced, in ms. */
const progressEveryMs = 10_000;

const { stdout, stderr } = process;
// A reader that has seen enough, such as head, closes the pipe: that is no error of ours.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
});

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const asked = askedBy(process.argv.slice(2), regressionsFile, {
      out: (text) => stdout.write(text),
      err: (text) => stderr.write(text),
    });
    return asked.trace ? await trace(asked) : await many(asked);
  } catch (error) {
    if (error instanceof Refused) return error.exitCode;
    throw error;
  }
}

async function trace(asked: Asked): Promise<number> {
  const config = asked.config ? configFrom(asked.config) : drawnBy({ seed: asked.seeds.from, gateway: asked.gateway });
  const { violations } = await traced(await load(asked.planted), config, asked.tail, (text) => stdout.write(text));
  return violations.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function many(asked: Asked): Promise<number> {
  // A bug that cannot be planted is better known here than in every thread.
  if (asked.planted !== undefined) await load(asked.planted);
  const pool = new Pool(asked.jobs, { planted: asked.planted });
  let interrupted = false;
  process.on('SIGINT', () => {
    // Pressed again, it does not wait for the histories under way.
    if (interrupted) process.exit(exitCodes.interrupted);
    interrupted = true;
  });
  const progress = progressOn(stderr);
  try {
    const allHold = await simulate(asked, {
      run: pool.run,
      now: () => performance.now(),
      today: () => new Date(),
      commit,
      write: (file, text) => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      },
      out: (text) => {
        progress.clear();
        stdout.write(text);
      },
      progress: progress.show,
      interrupted: () => interrupted,
    });
    if (!allHold) return exitCodes.failed;
    return interrupted ? exitCodes.interrupted : exitCodes.done;
  } finally {
    await pool.end();
  }
}

/** The commit that is checked out, and whether anything differs from it; said so where git knows of none. */
function commit(): string {
  const { status, stdout: named } = spawnSync('git', ['describe', '--always', '--abbrev=12', '--dirty', '--exclude=*'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return status === 0 ? named.trim() : 'unknown';
}

/** One line that replaces itself on a terminal; elsewhere a line now and then. */
function progressOn(stream: NodeJS.WriteStream): { readonly show: (line: string) => void; readonly clear: () => void } {
  let shownAt = performance.now();
  return {
    show: (line) => {
      if (stream.isTTY) stream.write(`\r\x1b[K${line.slice(0, (stream.columns || 80) - 1)}`);
      else if (performance.now() - shownAt >= progressEveryMs) {
        shownAt = performance.now();
        stream.write(`${line}\n`);
      }
    },
    clear: () => {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}
