import { fidOf } from '../core/fid.ts';
import { Fqdn, ZoneName } from '../core/ids.ts';
import { at, type Examples } from './example.ts';

const [confd, rms, ios] = [fidOf('process', 0x2d), fidOf('service', 0x2f), fidOf('process', 0x31)];
const host = Fqdn.parse('ssu1.acme.org');

/** Examples of the routes about a storage cluster as a whole. */
export const meroExamples: Examples = {
  meroStatus: {
    reply: {
      zone: ZoneName.parse('storage'),
      disposition: 'ONLINE',
      coordinator: 'muster',
      level: 1,
      levelSince: at,
      reached: 0,
      because: `ONLINE, level 1 of 3: waits for ${ios} on ${host} (starting)`,
      underWay: { since: at, late: false },
      waitingFor: [{ process: ios, host, state: 'starting' }],
      waiting: 1,
      managed: { all: 2, online: 1, running: 2 },
      loaded: { load: '4f0c7d1e', at, nodes: 1, processes: 2, services: 3, devices: 0 },
      principal: rms,
      pools: [{ fid: fidOf('pool', 0x41), id: 'tier1' }],
      profiles: [{ fid: fidOf('profile', 0x42), id: 'default' }],
      hosts: [
        {
          fid: fidOf('node', 0x1c),
          state: 'online',
          host,
          processes: [
            {
              fid: confd,
              state: 'online',
              endpoint: '172.28.128.4@tcp:12345:44:101',
              type: 'confd',
              services: [
                { fid: fidOf('service', 0x2e), state: 'online', type: 'CST_CONFD' },
                { fid: rms, state: 'online', type: 'CST_RMS' },
              ],
            },
            {
              fid: ios,
              state: 'starting',
              endpoint: '172.28.128.4@tcp:12345:41:401',
              type: 'ioservice',
              services: [{ fid: fidOf('service', 0x32), state: 'starting', type: 'CST_IOS' }],
            },
          ],
        },
      ],
    },
  },
  startMero: { body: {}, reply: { done: true, because: 'an operator set the cluster to ONLINE' } },
  stopMero: {
    body: { reason: 'new racks' },
    reply: { done: true, because: 'an operator set the cluster to OFFLINE: new racks' },
  },
  resetMero: {
    body: { mode: 'soft' },
    reply: { done: true, because: 'an operator reset the cluster: processes are unknown until their hosts report them', processes: 2 },
  },
  updateMero: {
    body: { set: [{ fid: ios, state: 'failed' }] },
    reply: { results: [{ fid: ios, done: true, because: 'an operator set it to failed' }] },
  },
};
