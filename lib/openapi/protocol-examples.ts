import type { Fid } from '../core/fid.ts';
import type { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName } from '../core/ids.ts';
import { EpochMs } from '../core/time.ts';
import { type Examples, facts, fp, fqdn, id, load, machineId, publicKey } from './example.ts';

/** An example of the calls of node agents and client systems, and of their answers. */
export const protocolExamples = {
  join: { body: { publicKey, fqdn, kind: 'uyuni' }, reply: { node: id, zone: 'default', nextMs: 1_000 } },
  up: {
    body: { id: 'up-1', boot: { id: 'b7c1d2e3f4a50617', kernel: '3f1c0c5e-7d5c-4c6e-9f0e-2b8f6f0f1d11' }, facts },
    reply: { acknowledged: true, incarnation: 1, generation: 1, nextMs: 10_000 },
  },
  heartbeat: {
    body: { id: 'beat-42', incarnation: 1, seq: 42, load },
    reply: { nextMs: 10_312, desired: 3, resync: false, listStale: false, mapVersion: 17, generation: 1 },
  },
  events: { body: [{ id: 'ready-1', type: 'node.ready', version: 1, incarnation: 1, data: {} }], reply: { accepted: 1 } },
  leaving: { body: { id: 'leaving-1', incarnation: 1, mode: 'drain' }, reply: { accepted: 1 } },
  rotate: { body: { publicKey, proof: 'A'.repeat(86) }, reply: { fingerprint: fp } },
  desired: { reply: { release: [] } },
  services: {
    reply: [
      {
        name: 'web' as ServiceName,
        type: 'apache' as ServiceTypeName,
        node: id as NodeId,
        host: fqdn as Fqdn,
        instance: 'lz3k9w0g.2' as InstanceId,
        state: 'online',
        address: '192.0.2.7:80',
      },
    ],
  },
  askQuestion: {
    body: { instance: 'lz3k9w0g.2' as InstanceId, question: 'may-stop' as ServiceTypeName },
    reply: { yes: true, because: 'other services of its name online: 3; needed: 2' },
  },
  processConfiguration: {
    reply: {
      process: '0x7200000000000001:0x2d' as Fid,
      file: '/etc/sysconfig/s3server-0x7200000000000001:0x2d',
      environment: [
        { name: 'MERO_S3SERVER_EP', value: '10.0.0.7@tcp:12345:41:303' },
        { name: 'MERO_HA_EP', value: '10.0.0.7@tcp:12345:34:101' },
        { name: 'MERO_PROFILE_FID', value: '0x7000000000000001:0x1e' },
        { name: 'MERO_PROCESS_FID', value: '0x7200000000000001:0x2d' },
        { name: 'MERO_S3SERVER_PORT', value: '8081' },
      ],
    },
  },
  takeAction: {
    body: { incarnation: 1 },
    reply: { is: 'taken' as const, what: { do: 'reboot' as const }, calls: 1, systems: 1, until: EpochMs.parse(1_777_640_400_000) },
  },
  systemsOfAction: { reply: { systems: [fp] } },
  reportAction: {
    body: {
      ...{ incarnation: 1, seq: 2, state: 'scheduled' as const, done: 1, failed: 0, left: 0, unknown: 0, cancelled: 0 },
      ...{ examples: [], id: 4711 },
    },
    reply: { because: '1 of 3 client systems have ended' },
  },
  systems: { reply: { version: 4, whole: true, systems: [fp], gone: [] } },
  system: { reply: { verdict: 'accept' } },
  askAboutKeys: { body: { fingerprints: [fp] }, reply: { answers: [{ verdict: 'accept' }] } },
  revoked: { reply: { version: 12, at: 1_767_225_600, systems: [fp.slice(0, 8)], everybody: false } },
  systemMetadata: { reply: { revision: 5, kinds: { channels: { revision: 4, document: { base: 'sles-15-sp6' } } } } },
  reportMetadata: { body: { generation: 1, document: { base: 'sles-15-sp6' } }, reply: { revision: 4 } },
  reportHistory: { body: { id: 'action-17', generation: 1, entries: [{ action: 'patch', result: 'done' }] }, reply: { revision: 5 } },
  reportChanges: {
    body: { incarnation: 3, source: 'q7Zk3vT1xQpA', seq: 812, changes: [{ kind: 'system', things: [[1_000_010_000, 'web1.acme.org']] }] },
    reply: { taken: 812 },
  },
  reportAdoption: {
    body: {
      incarnation: 3,
      order: 'q7Zk3vT1xQpA',
      total: 300,
      systems: [{ minion: 'web1.acme.org', fp, ofText: [], name: 'web1.acme.org', machineId, number: 1_000_010_000 }],
    },
    reply: { open: true, after: 'web1.acme.org' },
  },
  presentTicket: {
    body: { incarnation: 3, ticket: 'met_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_5c1f20' },
    reply: { ticket: '4q1zk0w8r2tn', who: 'admin:alice@acme.org', subject: 'alice@acme.org', name: 'alice', path: '/rhn/YourRhn.do' },
  },
  reportEntry: { body: { incarnation: 3, entry: { login: 'alice' } }, reply: { because: 'alice entered uyuni1.acme.org as alice' } },
  knock: { body: { publicKey, fqdn: 'web1.acme.org', machineId, suggestedTags: ['web'] }, reply: '0' },
  systemStatus: { reply: '1' },
  orphan: { reply: fqdn },
} satisfies Examples;
