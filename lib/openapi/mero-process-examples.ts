import { type Fid, fidOf } from '../core/fid.ts';
import type { Fqdn, NodeId } from '../core/ids.ts';
import type { MeroNodeView, MeroProcessView } from '../mero/processes/routes.ts';
import { at, type Examples, id } from './example.ts';

const fid: Fid = fidOf('process', 45);
const host = 'client2.acme.org' as Fqdn;
const endpoint = '10.0.0.2@tcp:12345:41:302';
const configuration = {
  process: fid,
  host,
  file: `/etc/sysconfig/clovis-app-${fid}`,
  variables: [
    { name: 'MERO_CLOVIS_APP_EP', value: endpoint },
    { name: 'MERO_HA_EP', value: '10.0.0.2@tcp:12345:34:101' },
    { name: 'MERO_PROFILE_FID', value: fidOf('profile', 9) },
    { name: 'MERO_PROCESS_FID', value: fid },
  ],
};
const process: MeroProcessView = {
  fid,
  host,
  type: { tag: 'PLClovis', contents: ['clovis-app', 'Independent'] },
  prefix: 'clovis-app',
  endpoint,
  role: 'clovis-app',
  managed: false,
  state: 'offline',
  since: at,
  goal: 'watch',
  start: 0,
  devices: 0,
  services: [{ fid: fidOf('service', 46), type: 'CST_RMS', state: 'offline' }],
};
const node: MeroNodeView = {
  fid: fidOf('node', 44),
  host,
  lnid: '10.0.0.2@tcp',
  node: { id: id as NodeId, status: 'up' },
  processes: [process],
};
const removed = { done: true, because: `${fid} removed`, gone: [fid], stopping: [], nodeGone: false };
const content = [
  {
    m0p_endpoint: '{{ lnid }}:12345:41:301',
    m0p_type: { tag: 'PLM0t1fs', contents: [] },
    m0p_services: [{ m0s_type: { tag: 'CST_RMS' } }],
  },
];

/** An example of the body and the answer of each route about roles, processes and hosts of a storage cluster. */
export const meroProcessExamples = {
  addMeroProcesses: {
    body: { node: host, roles: ['clovis-app'], set: { multiplicity: 1 } },
    reply: {
      done: true,
      because: `1 process of clovis-app on ${host}`,
      node: { fid: fidOf('node', 44), host, isNew: true },
      processes: [configuration],
    },
  },
  getMeroProcess: { reply: process },
  getMeroConfiguration: { reply: configuration },
  startMeroProcess: { body: {}, reply: { done: true, because: `an operator ordered ${fid} to start` } },
  stopMeroProcess: { body: { force: false }, reply: { done: true, because: `an operator ordered ${fid} to stop` } },
  removeMeroProcess: { body: {}, reply: removed },
  getMeroNode: { reply: node },
  startMeroNode: { body: {}, reply: { done: true, because: `an operator ordered ${host} to start` } },
  stopMeroNode: { body: {}, reply: { done: true, because: `an operator ordered ${host} to stop` } },
  removeMeroNode: { body: { dryRun: false }, reply: { ...removed, because: `${host} removed`, nodeGone: true } },
  removeHalonNode: { body: {}, reply: { ...removed, because: `${host} removed`, nodeGone: true } },
  listMeroRoles: { reply: { items: [{ origin: 'muster', role: { name: 'm0t1fs', content } }] } },
  putMeroRole: { body: { content }, reply: { done: true, because: 'role m0t1fs put' } },
  deleteMeroRole: { reply: { done: true, because: 'role m0t1fs deleted' } },
  listHalonRoles: { reply: { items: [{ origin: 'muster', role: { name: 'station', station: true, services: [] } }] } },
  putHalonRole: { body: { station: true, services: [] }, reply: { done: true, because: 'role watcher put' } },
  deleteHalonRole: { reply: { done: true, because: 'role watcher deleted' } },
} satisfies Partial<Examples>;
