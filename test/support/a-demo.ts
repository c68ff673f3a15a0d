import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { aProgram, type Program } from './program.ts';

/**
 * A demo of this project, each time in a folder of its own for temporary files, which whatever it starts has in its
 * environment.
 */
export type Demo = {
  start(...args: readonly string[]): Program;
  /** What it has left in that folder. */
  left(): readonly string[];
  /** The command lines of programs that run with its environment, word by word. */
  running(): readonly (readonly string[])[];
};

/** The demo at this path; for a file of tests, whose folder is removed after each. */
export function aDemo(path: string): Demo {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'muster-'));
    // A PostgreSQL of a demo that root plays runs as another user, who must come to its folder.
    chmodSync(place, 0o755);
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));
  return {
    start: (...args) => aProgram(path, args, { TMPDIR: place }),
    left: () => readdirSync(place),
    running: () =>
      readdirSync('/proc').flatMap((pid) => {
        try {
          const isOurs = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TMPDIR=${place}`);
          return isOurs ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')] : [];
        } catch {
          // It has ended meanwhile, or is somebody else's.
          return [];
        }
      }),
  };
}
