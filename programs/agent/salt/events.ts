import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { secondMs } from '../../../lib/core/time.ts';
import { endGroup } from '../../../lib/machine/group.ts';
import type { World } from '../../../lib/machine/reactor.ts';

/** How soon to run an ended command again: the event bus ends when its master restarts. */
const againMs = 10 * secondMs;

/**
 * Tags of events that a minion sends itself, as `salt-run state.event` prints them: the tag, a tab, and the event in
 * JSON.
 */
const ofMinion = [/^salt\/job\/\d+\/ret\/([^/\s]+)\t/, /^salt\/minion\/([^/\s]+)\/start\t/, /^salt\/beacon\/([^/\s]+)\//];
const presence = 'salt/presence/present\t';

/** The minions that a line of the event bus shows to be heard; empty for other lines. */
export function heardIn(line: string): string[] {
  if (line.startsWith(presence)) return presentIn(line.slice(presence.length));
  const id = ofMinion.map((tag) => tag.exec(line)?.[1]).find((found) => found !== undefined);
  return id === undefined ? [] : [id];
}

function presentIn(text: string): string[] {
  try {
    const { present } = JSON.parse(text) as { present?: unknown };
    return Array.isArray(present) ? present.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * Runs a command that prints the event bus, such as `salt-run state.event`, and runs it again whenever it ends; calls
 * `heard` for each minion.
 */
export function eventBus(command: string, heard: (id: string) => void, say: (line: string) => void, world: World): { stop(): void } {
  let stopped = false;
  let cancel = () => {};
  let end: () => unknown = () => {};
  const run = () => {
    const child = spawn('/bin/sh', ['-c', `exec ${command}`], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    // Ends the whole group: the command may be a pipe, of which the shell is only the first process.
    end = () => child.pid !== undefined && endGroup(child.pid);
    createInterface({ input: child.stdout }).on('line', (line) => heardIn(line).forEach(heard));
    const ended = (why: string) => {
      if (stopped) return;
      say(`the command of the event bus ended (${why}); running it again`);
      cancel = world.after(againMs, run);
    };
    child.once('error', (error) => ended(error.message));
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
  };
  run();
  return {
    stop: () => {
      stopped = true;
      cancel();
      end();
    },
  };
}
