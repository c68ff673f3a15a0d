import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EpochMs, minuteMs } from '../../../../../lib/core/time.ts';
import { type Folder, folderAt } from '../../../../../lib/machine/folder.ts';
import { Keeper } from '../../../../../programs/agent/uyuni/cluster-mode/keeper.ts';
import { counts, digitsOf, loginLeaseMs, readLease } from '../../../../../programs/agent/uyuni/cluster-mode/lease.ts';
import { SeatHere } from '../../../../../programs/agent/uyuni/cluster-mode/seat.ts';
import {
  type ClusterMode,
  makeState,
  seatFile,
  settingsFile,
  writeClusterMode,
} from '../../../../../programs/agent/uyuni/cluster-mode/settings.ts';
import { aClusterMode } from './a-cluster-mode.ts';

let root: string;
let folder: Folder;
let mode: ClusterMode;
const keepers: Keeper[] = [];
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'muster-cluster-mode-'));
  folder = folderAt(join(root, 'agent'));
  mode = aClusterMode({ state: join(root, 'run'), port: await aFreePort() });
});
afterEach(async () => {
  for (const keeper of keepers.splice(0)) await keeper.close();
  rmSync(root, { recursive: true });
});

const aFreePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

/** A keeper whose clock and contact a test sets. */
function aKeeper(at = Date.UTC(2031, 4, 1, 12)) {
  const said: string[] = [];
  const set: { now: number; answeredAt?: number | undefined } = { now: at };
  const seat = new SeatHere(() => [set.now]);
  const keeper = new Keeper({
    folder,
    endpoint: 'https://muster.acme.test',
    fqdn: 'uyuni1.acme.test',
    zone: () => 'berlin',
    seat,
    contact: { answeredAgoMs: () => (set.answeredAt === undefined ? undefined : set.now - set.answeredAt) },
    routes: [{ method: 'GET', path: '/muster/another', answer: async () => ({ status: 200, headers: {}, body: 'of others' }) }],
    say: (line) => void said.push(line),
    world: { now: () => set.now as EpochMs, after: () => () => undefined },
  });
  keepers.push(keeper);
  const look = async (passMs = 0): Promise<boolean> => {
    set.now += passMs;
    await keeper.look();
    return counts(readLease(mode), set.now);
  };
  return { keeper, look, said, set, seat };
}

const textOf = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${mode.port}${path}`)).text();

describe('the site of cluster mode', () => {
  it('is there where it is installed, also after the agent started, and with pages of others', async () => {
    const { look, said } = aKeeper();
    await look();
    await expect(textOf('/muster/page.css')).rejects.toThrow();
    writeClusterMode(folder, mode);
    await look();
    expect(await textOf('/muster/bar.js')).toContain('uyuni1.acme.test');
    expect(await textOf('/muster/another')).toBe('of others');
    expect(said).toEqual([`cluster mode: listening for Apache on 127.0.0.1:${mode.port}`]);
    folder.remove(settingsFile);
    await look();
    await expect(textOf('/muster/page.css')).rejects.toThrow();
  });

  it('listens anew where another port was installed, and says once why it cannot', async () => {
    writeClusterMode(folder, mode);
    const { look, said } = aKeeper();
    await look();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    writeClusterMode(folder, { ...mode, port: (other.address() as { port: number }).port });
    await look();
    await look();
    other.close();
    expect(said.slice(1)).toEqual([expect.stringContaining('cluster mode does not work: listen EADDRINUSE')]);
    await expect(textOf('/muster/page.css')).rejects.toThrow();
    mode = { ...mode, port: await aFreePort() };
    writeClusterMode(folder, mode);
    await look();
    expect(await textOf('/muster/page.css')).toContain('main');
  });

  it('says that its settings cannot be read', async () => {
    folder.write(settingsFile, '{"version":2}');
    const { look, said } = aKeeper();
    await look();
    expect(said).toEqual([expect.stringContaining('install cluster mode again')]);
  });
});

describe('the lease of the login page', () => {
  it('is written as Apache has the time, and for everybody to read', async () => {
    expect(digitsOf(new Date(2031, 0, 2, 3, 4, 5).getTime())).toBe('20310102030405');
    writeClusterMode(folder, mode);
    const { look, set } = aKeeper();
    set.answeredAt = set.now - 60_000;
    const umask = process.umask(0o077);
    expect(await look()).toBe(true);
    process.umask(umask);
    expect([mode.state, join(mode.state, 'lease')].map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o644]);
    expect(readFileSync(join(mode.state, 'lease'), 'utf8')).toBe(digitsOf(set.now - 60_000 + loginLeaseMs));
  });

  it('lasts ten minutes after Muster answered last: then people sign in at the server, and that is recorded', async () => {
    writeClusterMode(folder, mode);
    const { look, said, set } = aKeeper();
    set.answeredAt = set.now;
    expect(await look()).toBe(true);
    expect(await look(loginLeaseMs - 1_000)).toBe(true);
    expect(await look(1_000)).toBe(false);
    await look(minuteMs);
    expect(existsSync(join(mode.state, 'lease'))).toBe(false);
    set.answeredAt = set.now;
    expect(await look()).toBe(true);
    expect(said.slice(1)).toEqual([
      'the login page of this server leads to the Cluster UI',
      'emergency: Muster has not answered for 10 minutes: people can sign in at the login page of this server until it does',
      'the login page of this server leads to the Cluster UI again: Muster answers',
    ]);
  });

  it('ends for a node that Muster refuses', async () => {
    writeClusterMode(folder, mode);
    const { look, set } = aKeeper();
    set.answeredAt = set.now;
    await look();
    set.answeredAt = undefined;
    expect([await look(minuteMs), await look(loginLeaseMs)]).toEqual([true, false]);
  });

  it('runs out while the agent is away, and the next start records since when', async () => {
    writeClusterMode(folder, mode);
    const first = aKeeper();
    first.set.answeredAt = first.set.now;
    await first.look();
    await first.keeper.close();
    const next = aKeeper(first.set.now + 30 * minuteMs);
    expect(await next.look()).toBe(false);
    expect(next.said[1]).toMatch(/^emergency while this agent was away: people can sign in .* from 2031-05-01 \d\d:10:00 on$/);
  });

  it('says nothing of an emergency when an agent has just started', async () => {
    writeClusterMode(folder, mode);
    const { look, said } = aKeeper();
    await look();
    await look(minuteMs);
    expect(said).toHaveLength(1);
    await look(loginLeaseMs);
    expect(said[1]).toMatch(/^emergency: Muster has not answered/);
  });

  it('does not count where the file has anything else', () => {
    expect([undefined, '', 'x', '2031'].map((lease) => counts(lease, Date.UTC(2031, 4, 1)))).toEqual([false, false, false, false]);
    writeFileSync(join(root, 'lease'), '20990101000000\n');
    expect(counts(readLease({ state: root }), Date.UTC(2031, 4, 1))).toBe(true);
  });
});

describe('the lock of common content', () => {
  const isOpen = (): boolean => existsSync(seatFile(mode));

  it('is open while this server is the seat, and closes before the grant has run out', async () => {
    mode = { ...mode, locksContent: true };
    writeClusterMode(folder, mode);
    const { look, said, set, seat } = aKeeper();
    await look();
    expect(isOpen()).toBe(false);
    const granted = (epoch: number, ms: number) =>
      seat.desired({ epoch, until: (set.now + ms + 1_000) as EpochMs }, seat.askedAt(), dateOf(set.now));
    granted(3, minuteMs);
    await look();
    expect(readFileSync(seatFile(mode), 'utf8')).toBe('by Muster, epoch 3\n');
    await look(30_000);
    expect(isOpen()).toBe(true);
    await look(10_000);
    expect(isOpen()).toBe(false);
    granted(4, minuteMs);
    await look();
    expect(isOpen()).toBe(true);
    seat.desired(undefined, seat.askedAt(), dateOf(set.now));
    await look();
    expect(isOpen()).toBe(false);
    expect(said.slice(1)).toEqual([
      'cluster mode: common content is open here: this server is the seat of its zone',
      'cluster mode: common content is locked here: it is not edited here any more',
      'cluster mode: common content is open here: this server is the seat of its zone',
      'cluster mode: common content is locked here: it is not edited here any more',
    ]);
  });

  it('is left as an operator has opened it by hand, and closed after an agent that has died', async () => {
    mode = { ...mode, locksContent: true };
    writeClusterMode(folder, mode);
    const { look, set, seat } = aKeeper();
    await look();
    makeState(mode);
    writeFileSync(seatFile(mode), '');
    await look();
    seat.desired({ epoch: 1, until: (set.now + minuteMs) as EpochMs }, seat.askedAt(), dateOf(set.now));
    await look();
    seat.desired(undefined, seat.askedAt(), dateOf(set.now));
    await look();
    expect(readFileSync(seatFile(mode), 'utf8')).toBe('');
    writeFileSync(seatFile(mode), 'by Muster, epoch 7\n');
    await look();
    expect(isOpen()).toBe(false);
  });

  it('closes although the site cannot be had, and with the agent', async () => {
    mode = { ...mode, locksContent: true };
    writeClusterMode(folder, mode);
    const other = createServer().listen(mode.port, '127.0.0.1');
    await once(other, 'listening');
    makeState(mode);
    writeFileSync(seatFile(mode), 'by Muster, epoch 7\n');
    const { keeper, look, set, seat } = aKeeper();
    await look();
    expect(isOpen()).toBe(false);
    other.close();
    seat.desired({ epoch: 8, until: (set.now + minuteMs) as EpochMs }, seat.askedAt(), dateOf(set.now));
    await look();
    expect(isOpen()).toBe(true);
    await keeper.close();
    expect(isOpen()).toBe(false);
  });

  it('goes by the clocks of this server, also where that of Muster is another, or one is set back', () => {
    const clocks = [5_000, Date.UTC(2031, 4, 1, 12)];
    const seat = new SeatHere(() => [...clocks]);
    const theirs = Date.UTC(2031, 4, 1, 18);
    seat.desired({ epoch: 1, until: (theirs + minuteMs) as EpochMs }, seat.askedAt(), dateOf(theirs));
    expect([seat.now(58_000), seat.now(59_000)]).toEqual([1, undefined]);
    clocks[0]! += 50_000;
    clocks[1]! -= 600_000;
    expect([seat.now(0), seat.now(10_000)]).toEqual([1, undefined]);
    seat.desired({ epoch: 2, until: (theirs + minuteMs) as EpochMs }, seat.askedAt(), null);
    expect(seat.now(0)).toBeUndefined();
  });
});

/** A moment as the header `date` has it. */
const dateOf = (at: number): string => new Date(at).toUTCString();
