import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { aClient } from '../../tools/support/actors.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type HostProcess, startProcess } from '../support/host-process.ts';

let home: string;
let started: HostProcess[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-'));
  started = [];
});
afterEach(async () => {
  for (const { kill } of started) kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  rmSync(home, { recursive: true });
});

const start = (script?: string): HostProcess => {
  const process = startProcess({ MUSTER_HOME: home, MUSTER_LOG: 'info' }, script, script === undefined ? [] : [home]);
  started.push(process);
  return process;
};

/** What a search finds of all client systems, and with a tag: fingerprints in their order. */
async function found(url: string, q: string): Promise<string[]> {
  const answer = await apiAt(url)(contract.findSystems, { query: { q, limit: 200, sort: 'fp' } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  expect(answer.body.total).toBe(answer.body.items.length);
  return answer.body.items.map(({ fp }) => fp);
}

it('a host that is killed while it stores its index finds the same when it is started again, and begins with what is stored', async () => {
  const fps: string[] = [];
  const tagged: string[] = [];
  const begins: string[] = [];
  for (let round = 0; round < 4; round++) {
    const host = start('test/support/storing-host.ts');
    const url = await host.url;
    const clients = Array.from({ length: 10 }, (_, n) => aClient(url, `web${round}-${n}.acme.org`));
    for (const client of clients) await client.knock();
    fps.push(...clients.map(({ fp }) => fp));
    const some = clients.slice(0, 4).map(({ fp }) => fp);
    const accepted = await apiAt(url)(contract.accept, { body: { systems: some, tags: ['prod'] } });
    expect(accepted).toMatchObject({ ok: true });
    tagged.push(...some);
    await expect.poll(() => found(url, ''), { timeout: 10_000 }).toEqual(fps.toSorted());
    await sleep(7 * round);
    host.kill('SIGKILL');
    expect((await host.ended).signal).toBe('SIGKILL');

    const again = start();
    const at = await again.url;
    await expect.poll(() => found(at, 'tag:prod'), { timeout: 10_000 }).toEqual(tagged.toSorted());
    expect(await found(at, '')).toEqual(fps.toSorted());
    again.kill('SIGTERM');
    begins.push(/"code":"search.indexed".*|search\.indexed.*/.exec((await again.ended).complained)?.[0] ?? '');
  }
  expect(begins.filter((line) => line.includes('stored segments'))).toHaveLength(4);
}, 120_000);

it('a host whose stored index is damaged, or is half of one, finds what the rows say', async () => {
  const host = start('test/support/storing-host.ts');
  const url = await host.url;
  const client = aClient(url, 'web1.acme.org');
  await client.knock();
  await expect.poll(() => found(url, 'web1'), { timeout: 10_000 }).toEqual([client.fp]);
  const folder = join(home, 'objects');
  await expect.poll(() => readdirSync(folder), { timeout: 10_000 }).toContain('index');
  host.kill('SIGTERM');
  await host.ended;

  const whole = readFileSync(join(folder, 'index'));
  writeFileSync(join(folder, 'index'), whole.subarray(0, whole.length - 9));
  const again = start();
  expect(await found(await again.url, 'web1')).toEqual([client.fp]);
  again.kill('SIGTERM');
  expect((await again.ended).complained).toMatch(/search\.indexed.*rows/);
}, 60_000);
