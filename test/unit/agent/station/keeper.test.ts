import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { StationKeeper } from '../../../../agent/station/keeper.ts';
import { heardForMs, roundEveryMs } from '../../../../agent/station/rounds.ts';
import { tcpPing } from '../../../../agent/station/tcp-ping.ts';
import { hearsOf } from '../../../../events/reported/hears.ts';
import type { DesiredStation } from '../../../../lib/desired/desired.ts';
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
  it('is answered by whoever takes a connection, and by nobody else', async () => {
    const server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(await tcpPing(`127.0.0.1:${port}`, 2_000)).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(await tcpPing(`127.0.0.1:${port}`, 2_000)).toBe(false);
    expect(await tcpPing('no-such-host.invalid:4505', 2_000)).toBe(false);
  });
});
