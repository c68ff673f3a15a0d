import { type Fid, fidOf } from '../../../../lib/core/fid.ts';
import { type MeroHostStatus, MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import { secondsAgo } from './views.ts';

type Process = MeroHostStatus['processes'][number];
const service = (n: number, type: string, state = 'online') => ({ fid: fidOf('service', n), state, type });
const process = (n: number, type: string, end: string, services: Process['services'], more: Partial<Process> = {}): Process => ({
  fid: fidOf('process', n),
  state: 'online',
  endpoint: `172.28.128.${end}`,
  type,
  services,
  ...more,
});
const host = (n: number, name: string, processes: Process[], more: object = {}): object => ({
  fid: fidOf('node', n),
  state: 'online',
  host: `${name}.acme.org`,
  processes,
  ...more,
});
const device = { fid: fidOf('device', 0x40), state: 'inhibited', path: '/dev/sdb', wwn: '0x5000c500' };

/**
 * The cluster of the original's own sample, and beside it what it did not show: a host that is down, a server that
 * failed, and a device of it.
 */
export const sampleHosts = [
  host(9, 'client1', [process(0xa, 'halon', '6@tcp:12345:34:101', [])]),
  host(0x15, 'cmu', [process(0x16, 'halon', '3@tcp:12345:34:101', [])], { state: 'failed', extended: 'failed (recoverable)' }),
  host(0x1c, 'ssu1', [
    process(0x2a, 'halon', '4@tcp:12345:34:101', []),
    process(0x2d, 'confd', '4@tcp:12345:44:101', [service(0x2e, 'CST_CONFD'), service(0x2f, 'CST_RMS')]),
    process(0x31, 'ioservice', '4@tcp:12345:41:401', [{ ...service(0x32, 'CST_IOS', 'failed'), devices: [device] }], {
      state: 'failed',
      extended: 'failed: exited with status 1',
    }),
  ]),
];

/** What is said of it as a whole. */
export const sample = (given: Partial<MeroStatus> = {}): MeroStatus =>
  MeroStatus.parse({
    zone: 'storage',
    disposition: 'ONLINE',
    coordinator: 'muster',
    level: 3,
    levelSince: secondsAgo(600),
    reached: 3,
    because: 'ONLINE, level 3 of 3: everything runs',
    waitingFor: [],
    waiting: 0,
    managed: { all: 2, online: 2, running: 2 },
    loaded: { load: 'l1', at: secondsAgo(900), nodes: 3, processes: 5, services: 3, devices: 1 },
    principal: fidOf('service', 0x2f),
    pools: [],
    profiles: [],
    ...given,
  });

/**
 * A status on the way: at a level, with a process that is waited for, and so many of four that are online and have not
 * ended.
 */
export const underWay = (disposition: 'ONLINE' | 'OFFLINE', level: number, online: number, running = online, late = false): MeroStatus => {
  const waited = { process: fidOf('process', 0x31) as Fid, host: 'ssu1.acme.org', state: 'starting' };
  const because = `${disposition}, level ${level} of 3: waits for ${waited.process} on ssu1.acme.org (starting)`;
  return sample({
    disposition,
    level,
    reached: level,
    because,
    waitingFor: [waited] as MeroStatus['waitingFor'],
    waiting: 3,
    managed: { all: 4, online, running },
    underWay: { since: secondsAgo(late ? 900 : 5), late },
  });
};
