import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSecret } from '../../../../lib/identity/secret-text.ts';
import { bearerFor } from '../../../../programs/cli/bearer.ts';
import { aHost } from '../../../../tools/support/host.ts';
import { now, ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';

const files = (given: Readonly<Record<string, string>>) => (path: string) => given[path];
const world = { env: {}, now: () => now, sleep: async () => undefined };
const left = { ...world, readOwn: files({ '.muster/operator.key': 'mst_left\n' }) };

describe('the bearer token of the command line', () => {
  it("is MUSTER_TOKEN, else what the embedded host left for its own user, and that only on this machine's own address", async () => {
    expect(await bearerFor('http://127.0.0.1:8080', left)).toBe('mst_left');
    expect(await bearerFor('https://localhost:8443/', left)).toBe('mst_left');
    expect(await bearerFor('http://[::1]:8080', left)).toBe('mst_left');
    expect(await bearerFor('http://127.0.0.1:8080', { ...left, env: { MUSTER_TOKEN: ' mak_given\n' } })).toBe('mak_given');
    const elsewhere = { ...world, env: { MUSTER_HOME: '/srv/m' }, readOwn: files({ '/srv/m/operator.key': 'x' }) };
    expect(await bearerFor('http://127.0.0.1:8080', elsewhere)).toBe('x');
    expect(await bearerFor('http://127.0.0.1:8080', { ...left, env: { MUSTER_HOME: '/elsewhere' } })).toBeUndefined();
    for (const away of ['https://muster.acme.org', 'http://127.0.0.1.acme.org', 'http://localhost.acme.org', 'http://10.0.0.1:8080'])
      expect(await bearerFor(away, left), away).toBeUndefined();
  });

  it.each(['EACCES', 'ENOTDIR'])('is not passed over where there is one that cannot be read: %s', async (code) => {
    const readOwn = () => {
      throw Object.assign(new Error('cannot'), { code });
    };
    expect(await ran('status', { env: { MUSTER_ENDPOINT: 'http://127.0.0.1:9' }, readOwn })).toEqual({
      code: 77,
      out: '',
      err: expect.stringContaining(`the operator's key .muster/operator.key cannot be read (${code})`),
    });
  });

  describe('on its way', () => {
    let fake: FakeDeployment;
    beforeAll(async () => {
      fake = await FakeDeployment.start({ getSettings: () => ({ beatMinMs: 1000, intervalMs: 1000, admittedNodes: 0 }) });
    });
    afterAll(() => fake.stop());

    it('is in the header of the call', async () => {
      const { code } = await ran('settings show', { env: { MUSTER_ENDPOINT: fake.url, MUSTER_TOKEN: 'mak_given' } });

      expect(code).toBe(0);
      expect(fake.received.at(-1)!.received.headers.authorization).toBe('Bearer mak_given');
    });
  });
});

describe('an embedded host', () => {
  it('leaves a new secret at each start, which nobody else may read, and takes it away again when it stops', async () => {
    const home = mkdtempSync(join(tmpdir(), 'muster-'));
    const file = join(home, 'operator.key');
    const secrets: string[] = [];
    for (let start = 0; start < 2; start++) {
      const host = await aHost({ home });
      expect(readFileSync(file, 'utf8')).toBe(`${host.operator}\n`);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(parseSecret(host.operator, 'mst')).toEqual({ id: expect.any(String), secret: expect.any(String) });
      secrets.push(host.operator);
      await host.stop();
      expect(() => statSync(file)).toThrow('ENOENT');
      // One that was killed has left its own, which is worth nothing any more.
      writeFileSync(file, 'left behind', { mode: 0o644 });
    }
    expect(new Set(secrets).size).toBe(2);
    rmSync(home, { recursive: true });
  });
});
