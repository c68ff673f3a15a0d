import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Host, startHost } from '../../local/host.ts';

/** An embedded host in this process on a free port, in a folder of its own; `stop` removes the folder. */
export async function aHost({
  beatMinMs = 1_000,
  sweepPeriodMs = 50,
  home = mkdtempSync(join(tmpdir(), 'muster-')),
} = {}): Promise<Host & { home: string }> {
  const host = await startHost({ port: 0, home, beatMinMs, logLevel: 'error', sweepPeriodMs });
  return {
    ...host,
    home,
    stop: async () => {
      await host.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Asks again until `ask` gives something, a few times a second; throws what was awaited when `withinMs` has passed. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>, withinMs = 15_000): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > until) throw new Error(`awaited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
