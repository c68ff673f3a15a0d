import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess } from '../../support/host-process.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-log-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** All that a host says from its start to its end. */
const saidBy = async (env: Record<string, string>): Promise<string> => {
  const host = startProcess({ MUSTER_HOME: home, MUSTER_LOG: 'debug', ...env });
  await host.url;
  host.kill('SIGTERM');
  const { said, complained } = await host.ended;
  return said + complained;
};

describe('a reader of the log of a host', () => {
  it('attack 59: finds no sign-in link and no other secret in it, but how somebody who may makes one', async () => {
    const said = await saidBy({});
    expect(said).not.toMatch(/\bm[a-z]{2}_[a-z0-9]+_/);
    expect(said).toContain('npx muster login --link');
  });

  it('is not a person at a terminal, who is shown a link', async () => {
    const atTerminal = 'data:text/javascript,process.stdout.isTTY=true';
    expect(await saidBy({ NODE_OPTIONS: `--import ${atTerminal}` })).toMatch(/^ {4}http:\S+\/sign-in#msl_\S+$/m);
  });
});
