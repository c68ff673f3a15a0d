import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { hearsOf } from '../../../../../events/reported/hears.ts';
import type { DesiredStation } from '../../../../../lib/nodes/desired/desired.ts';
import { listenForWatch } from '../../../../../programs/agent/listen.ts';
import { StationKeeper } from '../../../../../programs/agent/station/keeper.ts';
import { heardForMs, roundEveryMs } from '../../../../../programs/agent/station/rounds.ts';
import { tcpPing } from '../../../../../programs/agent/station/tcp-ping.ts';
import { aStand } from './a-stand.ts';

/** A station on a stand. */
function bench() {
  const { folder, ping, world, ...stand } = aStand();
  return { ...stand, keeper: () => new StationKeeper({ folder, ping, world }) };
}
const told = (...addresses: string[]): DesiredStation => ({
  leaseMs: 30_000,
  size: addresses.length,
  pings: addresses.map((address, index) => ({ index, address })),
});

describe('a station', () => {
  it('says nothing until it was told whom to look for, and has looked once', async () => {
    const { keeper, open, settle } = bench();
    const one = keeper();
    expect(one.hears()).toBeUndefined();
    open.add('a.b:1');
    one.desired(told('a.b:1', 'c.d:1'));
    expect(one.hears()).toBeUndefined();
    await settle();
    expect(one.hears()).toEqual(hearsOf(2, [0]));
  });

  it('hears one for a while after its last answer, and no longer', async () => {
    const { keeper, open, settle, pass } = bench();
    const one = keeper();
    open.add('a.b:1');
    one.desired(told('a.b:1'));
    await settle();
    open.clear();
    await pass(heardForMs - 1);
    expect(one.hears()).toEqual(hearsOf(1, [0]));
    await pass(1);
    expect(one.hears()).toEqual(hearsOf(1, []));
    open.add('a.b:1');
    await pass(roundEveryMs);
    expect(one.hears()).toEqual(hearsOf(1, [0]));
  });

  it('says nothing once it has stood still, until it has looked again', async () => {
    const { keeper, open, settle, pass, standStill } = bench();
    const one = keeper();
    open.add('a.b:1');
    one.desired(told('a.b:1'));
    await settle();
    standStill(heardForMs);
    expect(one.hears()).toBeUndefined();
    await pass(roundEveryMs);
    expect(one.hears()).toEqual(hearsOf(1, [0]));
  });

  it('goes on after a restart by what it was told, and forgets what it is no more', async () => {
    const { files, keeper, open, settle } = bench();
    open.add('a.b:1');
    keeper().desired(told('a.b:1'));
    const again = keeper();
    await settle();
    expect(again.hears()).toEqual(hearsOf(1, [0]));
    again.desired(undefined);
    expect([again.hears(), files.size]).toEqual([undefined, 0]);
    files.set('station.json', '{"station":{"leaseMs":');
    expect(keeper().hears()).toBeUndefined();
  });

  it('asks a thousand nodes in one round, no more than 64 of them at once', async () => {
    const { keeper, settle, counts } = bench();
    keeper().desired(told(...Array.from({ length: 1_000 }, (_, n) => `n${n}.acme.org:4505`)));
    await settle();
    expect(counts()).toEqual({ asked: 1_000, most: 64 });
  });
});

describe('a ping', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  const ping = tcpPing({
    after: (ms, then) => {
      const timer = setTimeout(then, ms);
      return () => clearTimeout(timer);
    },
  });

  /** A port of this machine, with what answers there. */
  async function listening(answers = (socket: Socket): unknown => socket.resume(), allowHalfOpen = false) {
    const server = createServer({ allowHalfOpen }, answers).listen(0, '127.0.0.1');
    ends.push(() => server.close());
    await once(server, 'listening');
    return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('is answered by an agent, of this version or one before, and by nobody once it has gone', async () => {
    const { server, address } = await listening();
    expect(await ping(address, 10_000)).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(await ping(address, 10_000)).toBe(false);
    ends.push(listenForWatch({ host: '127.0.0.1', port: Number(address.split(':')[1]) }, () => undefined));
    await expect.poll(() => ping(address, 10_000)).toBe(true);
    expect(await ping('no-such-host.invalid:4505', 10_000)).toBe(false);
  });

  it('is answered by software that greets, once that closes', async () => {
    const { address } = await listening((socket) => socket.resume().write('hello'));
    expect(await ping(address, 10_000)).toBe(true);
  });

  it('is not answered by software that goes on talking', async () => {
    const { address } = await listening((socket) => {
      const timer = setInterval(() => socket.write('hello'), 10);
      socket.resume();
      socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
    }, true);
    expect(await ping(address, 200)).toBe(false);
  });

  it('is not answered by a program that is stopped, although its kernel takes the connection', async () => {
    const program = `require('node:net').createServer((s) => s.resume()).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    ends.push(() => child.kill('SIGKILL'));
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const address = `127.0.0.1:${Number(String(port))}`;
    expect(await ping(address, 10_000)).toBe(true);
    child.kill('SIGSTOP');
    expect(await ping(address, 500)).toBe(false);
    child.kill('SIGCONT');
    expect(await ping(address, 10_000)).toBe(true);
  });
});
