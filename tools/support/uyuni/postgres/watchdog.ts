import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { User } from './programs.ts';

/**
 * Waits until its input ends, which is when this process ends, in whatever way. Then it ends the PostgreSQL of the
 * folder at once, waits until it is gone, and removes the folder.
 */
const script = `cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
  kill -s QUIT "$pid" 2>/dev/null
  while [ -e "$1/data/postmaster.pid" ] && kill -s 0 "$pid" 2>/dev/null; do sleep 0.02; done
fi
rm -rf "$1"`;

/** A process beside this one that cleans up. `remove` has it do so now. */
export type Watchdog = { remove(): Promise<void> };

/** Has a folder and the PostgreSQL in it end with this process. It runs as the user whose the folder is. */
export function watchOver(folder: string, user: User | undefined): Watchdog {
  const child = spawn('/bin/sh', ['-c', script, 'sh', folder], { ...user, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  child.unref();
  child.stdin.on('error', () => undefined);
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return {
    remove: async () => {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}
