import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint, NodeId } from '../../lib/core/ids.ts';
import { aClient, aJoin, aNodeUp } from '../../tools/support/actors.ts';
import { admitEveryone } from '../../tools/support/everyone.ts';
import { eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { storedIn } from '../../tools/support/state.ts';
import { readEvents } from '../support/event-stream.ts';
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

const start = (env: Readonly<Record<string, string>> = {}, script?: string, args?: readonly string[]): HostProcess => {
  const process = startProcess({ MUSTER_HOME: home, ...env }, script, args);
  started.push(process);
  return process;
};
const oneLine = (text: string): string => {
  expect(text.split('\n')).toEqual([expect.any(String), '']);
  return text.trim();
};

describe('a host that is killed', () => {
  it('has lost nothing that it answered', async () => {
    const host = start();
    const url = await host.url;
    const api = apiAt(url);
    await admitEveryone(url);
    const answered = { joined: [] as NodeId[], knocked: [] as Fingerprint[], accepted: [] as Fingerprint[] };
    // Writers go on until the host is gone; each notes only what it was answered.
    const writer = async (n: number): Promise<void> => {
      for (let i = 0; ; i++) {
        const client = aClient(url, `web${n}-${i}.acme.org`);
        await client.knock();
        answered.knocked.push(client.fp);
        const accept = await api(contract.accept, { body: { systems: [client.fp] } });
        if (accept.ok && accept.body.results[0]?.done) answered.accepted.push(client.fp);
        const join = await aJoin(url, `node${n}-${i}.acme.org`);
        if (join.ok && 'node' in join.body) answered.joined.push(join.body.node);
        if (answered.joined.length === 60) host.kill('SIGKILL');
      }
    };
    await Promise.allSettled(Array.from({ length: 6 }, (_, n) => writer(n)));
    expect((await host.ended).signal).toBe('SIGKILL');
    expect(answered.joined.length).toBeGreaterThanOrEqual(60);

    const again = apiAt(await start().url);
    for (const id of answered.joined) expect((await again(contract.getNode, { params: { id } })).status).toBe(200);
    for (const fp of answered.knocked) {
      const system = await again(contract.getSystem, { params: { fp } });
      expect(answered.accepted.includes(fp) ? ['orphan'] : ['new', 'orphan']).toContain(system.ok ? system.body.status : system.status);
    }
  });

  it('still does what an agent was told it would', async () => {
    const host = start();
    await admitEveryone(await host.url);
    const node = await aNodeUp(await host.url, 'node1.acme.org');
    const body = { id: 'leaving-1', incarnation: node.incarnation, mode: 'hold' as const };
    expect((await node.api(contract.leaving, { params: { id: node.id }, body })).status).toBe(202);
    host.kill('SIGKILL');
    await host.ended;

    const again = apiAt(await start().url);
    await eventually('the node is leaving', async () => {
      const seen = await again(contract.getNode, { params: { id: node.id } });
      return seen.ok && seen.body.status === 'leaving' && seen.body.leaving?.mode === 'hold';
    });
  });

  it('between a commit and its publication lets the event go out when it is back, under the id it had', async () => {
    const dying = start({}, 'test/support/host-that-dies.ts', [home, 'client.seen']);
    const client = aClient(await dying.url, 'web1.acme.org');
    await client.knock().catch(() => 'no answer');
    const { signal, said } = await dying.ended;
    expect([signal, said]).toEqual(['SIGKILL', expect.stringContaining(`dies with client/${client.fp}#1\n`)]);
    const stored = Object.keys(storedIn(home));
    expect(stored).toContain(`client#${client.fp}|client`);
    expect(stored.filter((key) => key.startsWith('history'))).toEqual([]);

    const url = await start().url;
    const events = await readEvents(url, '0.0');
    const seen = (await events.come(1)).find(({ type }) => type === 'client.seen');
    events.close();
    expect(seen?.event).toMatchObject({ id: `client/${client.fp}#1`, eventseq: 1, data: { system: client.fp, fqdn: 'web1.acme.org' } });
    const history = await eventually('the history has it', async () => {
      const answer = await apiAt(url)(contract.history, { params: { kind: 'system', id: client.fp }, query: {} });
      return answer.ok && answer.body.items.length > 0 && answer.body.items;
    });
    expect(history).toMatchObject([{ seq: 1, type: 'client.seen' }]);
  });
});

describe('a host that is stopped', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s ends by itself, with its streams, and leaves a folder to go on with', async (signal) => {
    const host = start();
    const url = await host.url;
    const events = await readEvents(url);
    const client = aClient(url, 'web1.acme.org');
    await client.knock();

    host.kill(signal);

    await events.ended;
    expect(await host.ended).toMatchObject({
      code: 0,
      signal: null,
      complained: '',
      said: expect.stringMatching(/Muster has stopped\.\n$/),
    });
    const again = await start().url;
    expect((await apiAt(again)(contract.getSystem, { params: { fp: client.fp } })).status).toBe(200);
  });
});

describe('a host that cannot start', () => {
  it('because another has its folder says so in one line, and the other goes on', async () => {
    const url = await start().url;
    const { code, complained, said } = await start().ended;
    expect([code, said, oneLine(complained)]).toEqual([
      75,
      '',
      `muster: another process has ${join(home, 'muster.db')}: stop it, or use another folder`,
    ]);
    expect((await apiAt(url)(contract.status)).status).toBe(200);
  });

  it('because its port is taken says so in one line, and has given its folder back', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, complained } = await start({ MUSTER_PORT: String(port) }).ended;
    await new Promise((resolve) => taken.close(resolve));
    expect([code, oneLine(complained)]).toEqual([75, `muster: port ${port} of 127.0.0.1 is taken: set MUSTER_PORT to another one`]);
    await expect(start().url).resolves.toMatch(/^http:/);
  });

  it('because somebody must look at its folder says so in one line, and not that trying again would help', async () => {
    writeFileSync(join(home, 'keys.json'), '{}', { mode: 0o644 });
    const { code, complained } = await start().ended;
    expect([code, oneLine(complained)]).toEqual([1, expect.stringContaining(`others may read the keys in ${join(home, 'keys.json')}`)]);
  });

  it.each([
    ['MUSTER_PORT', 'http'],
    ['MUSTER_PORT', '70000'],
    ['MUSTER_PORT', ''],
    ['MUSTER_HOME', ''],
    ['MUSTER_BEAT_MIN_MS', '1'],
    ['MUSTER_LOG', 'loud'],
  ])('because %s is %j says so in one line', async (name, value) => {
    const { code, complained } = await start({ [name]: value }).ended;
    expect([code, oneLine(complained)]).toEqual([2, expect.stringContaining(name)]);
  });
});
