import type * as z from 'zod';
import { ApiKeyId } from '../api-keys/api-key.ts';
import { ZoneName } from '../ids.ts';
import type { contract } from './contract.ts';
import { admissionExamples } from './openapi-admission-examples.ts';
import type { BodyInputOf, Route } from './route.ts';

type Contract = typeof contract;
type ReplyInputOf<T> = T extends Route<infer _P, infer _Q, infer _B, infer R> ? z.input<R> : never;
/** What a route is sent, and what it answers. */
type Examples = {
  readonly [N in keyof Contract]?: { readonly body?: BodyInputOf<Contract[N]>; readonly reply?: ReplyInputOf<Contract[N]> };
};

const id = 'n0123456789abcdef';
const fqdn = 'node7.acme.org';
const at = '2026-05-01T12:00:00Z';
const fp = '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b';
const publicKey = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const load = { load1: 0.42, load5: 0.4, load15: 0.38, memoryUsedMib: 9_216, memoryMib: 16_384, systems: 101 };
const facts = {
  fqdn,
  address: '192.0.2.7',
  memoryMib: 16_384,
  cpus: 8,
  interfaces: [{ name: 'eth0', address: '192.0.2.7', mac: '52:54:00:00:00:07' }],
};
const results = { results: [{ fp, done: true, because: 'accepted into zone default' }] };
const ordered = { done: true, because: 'an operator gives it up' };
const apiKey = {
  ...{ id: ApiKeyId.parse('4q1zk0w8r2tn'), kind: 'key' as const, status: 'valid' as const, name: 'ticket system' },
  rights: { operate: [ZoneName.parse('default')] },
  ...{ createdAt: at, createdBy: 'admin:ada', expiresAt: '2026-07-30T12:00:00Z' },
};
const settings = { beatMinMs: 10_000, intervalMs: 10_000, admittedNodes: 5, openCalls: true, newKeysPerSource: 1_000 };

const node = {
  id,
  fqdn,
  zone: 'default',
  kind: 'uyuni' as const,
  status: 'up' as const,
  because: 'it is ready',
  incarnation: 1,
  generation: 1,
  index: 6,
  watch: 'node7.acme.org:4505',
  weight: 1,
  labels: { rack: 'r12' },
  joinedAt: at,
  key: { fingerprint: '6b:86:b2:73:ff:34:fc:e1:9d:6b:80:4e:ff:5a:3f:57:47:ad:a4:ea:a2:2f:1d:49:c0:1e:52:dd:b7:87:5b:4b' },
  heardAt: at,
  leaseUntil: '2026-05-01T12:00:38Z',
  load,
  slots: 205,
  systemsAbout: 101,
};
const system = {
  fp,
  fingerprint: '6b:86:b2:73:ff:34:fc:e1:9d:6b:80:4e:ff:5a:3f:57:47:ad:a4:ea:a2:2f:1d:49:c0:1e:52:dd:b7:87:5b:4b',
  fqdn: 'web1.acme.org',
  machineId: '4c4c4544003010358033b4c04f',
  status: 'onboarded' as const,
  because: 'its daemon confirmed',
  zone: 'default',
  node: { id, fqdn, at, confirmed: true },
  tags: ['web'],
  groups: [],
  suggestedTags: ['web'],
  facts: { os: 'sles-15' },
  firstSeenAt: at,
  seenAt: at,
};
const onboardingToken = {
  id: '4q7xk2m9w0ab',
  status: 'valid' as const,
  zone: 'default',
  tags: ['web'],
  groups: [],
  cidr: '10.0.0.0/8',
  uses: 500,
  used: 12,
  createdAt: at,
  expiresAt: '2026-05-31T12:00:00Z',
};
const zone = {
  name: 'default',
  number: 1,
  kind: 'management' as const,
  mode: 'production' as const,
  version: 17,
  because: 'node7.acme.org takes its share',
  remapAfterMs: 0,
  readmit: 'auto' as const,
  unsignedClients: false,
  epoch: 0,
  systemsAbout: 101,
  countedAt: at,
  map: {
    slots: 1_024,
    version: 17,
    unowned: 0,
    awayFromHome: 0,
    nodes: [{ node: id, fqdn, standing: 'up', generation: 1, slots: 1_024, systemsAbout: 101 }],
  },
};
const failed = { code: 'wrong-shape', reason: 'node.up: /data/boot Invalid input: expected object', at };
const letter = {
  id: '0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11',
  status: 'dead' as const,
  queue: 'reports' as const,
  via: 'door' as const,
  sentAt: at,
  deaths: 1,
  receives: 1,
  first: failed,
  last: failed,
  bytes: 18,
  cut: false,
  expiresAt: '2026-05-15T12:00:00Z',
};

/** One example of what each route is sent and answers, for the document; every one passes its route's schema. */
export const examples: Examples = {
  join: { body: { publicKey, fqdn, kind: 'uyuni' }, reply: { node: id, zone: 'default', nextMs: 1_000 } },
  up: {
    body: { id: 'up-1', boot: { id: 'b7c1d2e3f4a50617', kernel: '3f1c0c5e-7d5c-4c6e-9f0e-2b8f6f0f1d11' }, facts },
    reply: { acknowledged: true, incarnation: 1, generation: 1, nextMs: 10_000 },
  },
  heartbeat: {
    body: { id: 'beat-42', incarnation: 1, seq: 42, load },
    reply: { nextMs: 10_312, desired: 3, resync: false, listStale: false, mapVersion: 17 },
  },
  events: { body: [{ id: 'ready-1', type: 'node.ready', version: 1, incarnation: 1, data: {} }], reply: { accepted: 1 } },
  leaving: { body: { id: 'leaving-1', incarnation: 1, mode: 'drain' }, reply: { accepted: 1 } },
  rotate: { body: { publicKey, proof: 'A'.repeat(86) }, reply: { fingerprint: fp } },
  desired: { reply: { release: [] } },
  systems: { reply: { version: 4, whole: true, systems: [fp], gone: [] } },
  system: { reply: { verdict: 'accept' } },
  knock: { body: { publicKey, fqdn: 'web1.acme.org', machineId: system.machineId, suggestedTags: ['web'] }, reply: '0' },
  systemStatus: { reply: '1' },
  orphan: { reply: fqdn },
  status: {
    reply: {
      deployment: 'Muster',
      version: '0.1.0',
      now: at,
      intervalMs: 10_000,
      sweptAt: at,
      deadLetters: 0,
      zones: [{ name: 'default', mode: 'production', version: 17, slots: 1_024, nodes: { up: 5 }, systemsAbout: 500 }],
    },
  },
  listNodes: { reply: { items: [node] } },
  getNode: { reply: { ...node, host: { ...facts, at } } },
  editNode: { body: { weight: 2, labels: { rack: 'r12' } }, reply: { ...node, weight: 2 } },
  leaveNode: { body: { mode: 'hold', until: '2026-05-01T18:00:00Z' }, reply: { done: true, because: 'it leaves, hold' } },
  dropNode: { body: {}, reply: ordered },
  ...admissionExamples,
  listSystems: { reply: { items: [system], next: 'eyJvcGFxdWUiOnRydWV9' } },
  getSystem: { reply: system },
  editSystem: { body: { tags: ['web', 'blue'] }, reply: { ...system, tags: ['web', 'blue'] } },
  accept: { body: { systems: [fp], tags: ['web'] }, reply: results },
  unregister: {
    body: { systems: [fp] },
    reply: { results: [{ fp, done: true, because: 'unregistered: an orphan, its key stays accepted' }] },
  },
  ban: { body: { systems: [fp] }, reply: { results: [{ fp, done: true, because: 'banned, for ever' }] } },
  createOnboardingToken: {
    body: { tags: ['web'], uses: 500, cidr: '10.0.0.0/8' },
    reply: { secret: `mot_${onboardingToken.id}_x4f…_a1b2c3`, token: onboardingToken },
  },
  listOnboardingTokens: { reply: { items: [onboardingToken] } },
  revokeOnboardingToken: { body: {}, reply: { ...onboardingToken, status: 'revoked', revokedAt: at } },
  listAudit: {
    reply: {
      items: [
        {
          n: 12,
          at,
          zone: 'default',
          who: 'admin:anna',
          source: '192.0.2.9',
          request: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
          did: 'changed',
          what: { noun: 'node', id, row: 'node', rev: 42 },
          because: 'an operator gives it up',
          fields: ['status'],
          events: { first: 9, types: ['node.dropped'] },
          previous: 'a2f3f0c2b8e2d1d9d6a6f0c6d3c0b7c1d5d5a1b1c1f0e7a6b5c4d3e2f1a0b9c8',
          hash: '4d3c0b7c1d5d5a1b1c1f0e7a6b5c4d3e2f1a0b9c8a2f3f0c2b8e2d1d9d6a6f0c6',
        },
      ],
      next: 'eyJvcGFxdWUiOnRydWV9',
    },
  },
  verifyAudit: { reply: { ok: true, entries: 200, days: 3, faults: [], keptSince: '2025-03-27', next: 'eyJvcGFxdWUiOnRydWV9' } },
  listDeadLetters: { reply: { items: [letter], next: 'eyJvcGFxdWUiOnRydWV9' } },
  getDeadLetter: { reply: { ...letter, message: '{"type":"node.up"}' } },
  redriveDeadLetters: {
    body: { ids: [letter.id] },
    reply: { results: [{ id: letter.id, done: true, because: 'given back to the queue reports, attempt 1' }] },
  },
  dropDeadLetters: {
    body: { code: 'wrong-shape' },
    reply: { results: [{ id: letter.id, done: true, because: 'an operator dropped it' }] },
  },
  createKey: {
    body: { name: 'ticket system', scopes: ['operate'], zones: [ZoneName.parse('default')], expiresInDays: 90 },
    reply: { secret: 'mak_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_09cf7b', key: apiKey },
  },
  listKeys: { reply: { items: [apiKey] } },
  revokeKey: { body: {}, reply: { ...apiKey, status: 'revoked', revokedAt: at } },
  createSignInLink: {
    body: {},
    reply: { link: 'https://muster.acme.org/sign-in#msl_7h3m9x2c5vqa_Jr8sKd0fWz3bNy6tGq1uHx4eCv7mLp2aRi5oTk9wEjY_51be0a', expires: at },
  },
  signIn: {
    body: { secret: 'msl_7h3m9x2c5vqa_Jr8sKd0fWz3bNy6tGq1uHx4eCv7mLp2aRi5oTk9wEjY_51be0a' },
    reply: { token: 'mst_2n6c8f1d4gzb_Xe5uPq9tBw2mKj7vHs0yNr3cFa6iLo8dGz1kTf4hRpQ_e8d213', expires: at, name: 'Ada Lovelace' },
  },
  signOut: { body: {}, reply: { ...apiKey, kind: 'session', name: 'Ada Lovelace', status: 'revoked', revokedAt: at } },
  waysToSignIn: { reply: { methods: ['oidc', 'link'], issuer: 'https://id.acme.org', clientId: 'muster', scopes: 'openid profile' } },
  whoAmI: { reply: { who: 'admin:ada', name: 'Ada Lovelace', rights: { read: 'all', operate: [ZoneName.parse('default')] } } },
  listTokenKeys: {
    reply: {
      items: [
        { id: 2, use: 'signs', since: at },
        { id: 1, use: 'verifies' },
      ],
    },
  },
  rotateTokenKeys: {
    body: { force: false },
    reply: { current: 2, because: 'key 2 signs; tokens of key 1 hold until they are renewed' },
  },
  listZones: { reply: { items: [zone] } },
  getZone: { reply: zone },
  editZone: { body: { unsignedClients: true }, reply: { ...zone, unsignedClients: true } },
  explain: {
    reply: {
      subject: `node ${fqdn}`,
      state: 'suspect',
      because: 'its lease ran out',
      since: at,
      by: 'sweep-1',
      looksAgainAt: '2026-05-01T12:00:05Z',
      also: [{ subject: 'its standing in zone default', because: 'up at generation 1' }],
    },
  },
  history: {
    reply: {
      items: [
        {
          seq: 1,
          type: 'node.joined',
          version: 1,
          at,
          because: 'its boot is acknowledged',
          by: 'up-1',
          data: { node: id, fqdn, zone: 'default', incarnation: 1, generation: 1 },
        },
      ],
      more: false,
    },
  },
  getSettings: { reply: settings },
  editSettings: { body: { beatMinMs: 10_000 }, reply: settings },
};
