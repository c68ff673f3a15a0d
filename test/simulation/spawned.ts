import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';

/** How a program ended: its exit code (null after a signal), and what it wrote to each stream. */
export type Spawned = { readonly code: number | null; readonly out: string; readonly err: string };

/**
 * Runs a program of the simulation in a plain Node of its own to its end, at most so many ms; `path` is from this
 * folder.
 */
export function spawned(path: string, args: readonly string[], withinMs: number): Promise<Spawned> {
  const child = spawn(process.execPath, [join(import.meta.dirname, path), ...args], {
    // What is loaded anew for one bug alone is never loaded again: keeping what it compiles to would only fill a disk.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: withinMs,
    killSignal: 'SIGKILL',
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}
