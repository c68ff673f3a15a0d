import type { Examples } from './example.ts';

const startTimeout = {
  name: 'process_start_timeout',
  value: 300,
  usual: 180,
  unit: 's' as const,
  effect: 'setting' as const,
  does: 'how long a process may take to start before it has failed',
};

const host = { m0h_fqdn: 'ssu1.acme.org', lnid: '10.0.0.1@tcp' };
const process = {
  m0p_endpoint: '10.0.0.1@tcp:12345:34:101',
  m0p_type: { tag: 'PLHalon' as const, contents: [] as [] },
  m0p_services: [{ m0s_type: { tag: 'CST_HA' as const, contents: [] as [] } }],
};
const server = { at: 4, next: 5, server: { ...host, m0h_processes: [process] } };
const globals = { of: 'globals' as const, globals: { m0_md_redundancy: 2 } };
const load = '4c1f6f0e-7d7e-4d6c-9d0b-0f1f6f3a2b10';
const digest = '9f86d081884c7d65';

/** Examples of the routes that load a storage cluster, write it down and change its settings. */
export const meroLoadingExamples: Examples = {
  beginMeroLoad: {
    body: {
      identity: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      size: { nodes: 10, processes: 28, services: 64, devices: 410, pools: 4, profiles: 3, fids: 531 },
    },
    reply: { state: 'under-way', load, pages: [{ n: 0, digest }], servers: [] },
  },
  putMeroLayout: { body: { page: globals }, reply: { done: true, because: 'the page is accepted' } },
  putMeroServers: { body: { servers: [server] }, reply: { done: true, because: 'the servers are accepted' } },
  finishMeroLoad: { body: {}, reply: { done: true, because: 'loaded: 10 nodes, 28 processes, 410 devices' } },
  deleteMeroLoad: { reply: { done: true, because: `load ${load} was given up` } },
  getMeroFacts: { reply: { pages: [globals], servers: [server] } },
  syncMero: { body: {}, reply: { done: true, because: 'every agent reads its desired state again' } },
  getMeroVars: { reply: { items: [startTimeout] } },
  editMeroVars: { body: { vars: { process_start_timeout: 300 } }, reply: { items: [startTimeout] } },
};
