import { at, type Examples, fingerprint, fp } from './example.ts';

const nodes = 'ssu[1-40].acme.org';
const zone = 'default';

const token = {
  id: '4q1zk0w8r2tn',
  status: 'valid' as const,
  nodes,
  kind: 'uyuni' as const,
  zone,
  cidr: '10.0.0.0/8',
  uses: 40,
  createdAt: at,
  expiresAt: '2026-05-31T12:00:00Z',
  admitted: [{ fingerprint, node: 'n6b86b273ff34fce1', at }],
};
const pooled = {
  fp,
  fingerprint,
  fqdn: 'ssu41.acme.org',
  kind: 'uyuni' as const,
  standing: 'waiting' as const,
  because: 'it asks to be a node and is not admitted yet',
  watch: 'ssu41.acme.org:4505',
  source: '10.1.2.3',
  firstSeenAt: at,
  seenAt: at,
};
const adoption = {
  node: 'n6b86b273ff34fce1',
  order: 'q7Zk3vT1xQpA',
  by: 'key:ops',
  orderedAt: at,
  at,
  state: 'done' as const,
  total: 300,
  adopted: 298,
  known: 0,
  left: 2,
  examples: [{ minion: 'web1.acme.org', name: 'web1.acme.org', because: 'its key is banned, for ever' }],
};
const action = {
  number: 1_500_000_064,
  parts: [
    { node: 'uyuni1.acme.org', id: 4711 },
    { node: 'uyuni2.acme.org', id: 815 },
  ],
  recordedAt: at,
  expiresAt: '2026-08-29T12:00:00Z',
};
const actionProof = 'AbCd0123EfGh4567IjKl8901MnOp2345Qrs';
const counts = { done: 1, failed: 1, left: 0, unknown: 0, cancelled: 0 };
const seat = {
  zone: 'emea',
  epoch: 3,
  seat: {
    node: 'n0123456789abcdef',
    fqdn: 'uyuni1.acme.org',
    since: '2026-05-01T12:00:00Z',
    until: '2026-05-01T12:01:00Z',
    editors: [{ who: 'admin:ada', via: 'muster' as const, since: '2026-05-01T12:00:00Z', at: '2026-05-01T12:00:00Z' }],
  },
  ahead: [{ node: 'n0123456789abcdef', fqdn: 'uyuni1.acme.org', at: '2026-05-01T12:00:30Z' }],
  because: 'elected, because admin:ada edits',
};

const content = {
  zone: 'emea',
  revision: 2,
  revisions: [
    {
      revision: 2,
      root: 'aa'.repeat(32),
      entries: 1_312,
      at,
      by: 'admin:ada',
      because: 'channels of November',
      node: 'n0123456789abcdef',
      fqdn: 'uyuni1.acme.org',
      removes: false,
    },
  ],
  spreading: { since: at },
  servers: [
    {
      node: 'n0123456789abcdef',
      fqdn: 'uyuni1.acme.org',
      is: 'reached' as const,
      revision: 2,
      at,
      counts: { made: 3, changed: 1, removed: 0, alike: 1_308, extra: 2 },
      why: [],
    },
  ],
  because: 'revision 2, of uyuni1.acme.org: channels of November',
};

const systemAction = {
  number: action.number,
  what: { do: 'highstate' as const, test: false },
  by: 'key:ops',
  orderedAt: at,
  state: 'under-way' as const,
  until: '2026-05-01T13:00:00Z',
  expiresAt: action.expiresAt,
  systems: 3,
  inProgress: 1,
  ...counts,
  nodes: [
    { node: 'n6b86b273ff34fce1', fqdn: 'uyuni1.acme.org', state: 'scheduled' as const, at, id: 4711, systems: 3, inProgress: 1, ...counts },
  ],
  examples: [{ fp, fqdn: 'web1.acme.org', is: 'failed' as const, why: 'no space left on device' }],
  others: 0,
};
const rule = { name: 'racks', nodes, cidr: '10.0.0.0/8', zone, left: 40 };

/** An example of the body and the answer of each route about admission. */
export const admissionExamples = {
  replaceNode: {
    body: { by: 'node9.acme.org', force: false },
    reply: {
      done: true,
      because: 'an operator replaces it: it stays out, and node n1a2b3c4d5e6f7081 takes its place once that is ready',
    },
  },
  adoptSystems: {
    body: { dryRun: false, duplicates: false },
    reply: { ...adoption, state: 'ordered' as const, adopted: 0, left: 0, examples: [] },
  },
  adoption: { reply: adoption },
  enterNode: {
    body: { path: '/rhn/YourRhn.do' },
    reply: {
      action: 'https://uyuni1.acme.org/muster/enter',
      ticket: 'met_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_5c1f20',
      expiresAt: '2026-05-01T12:00:30Z',
    },
  },
  reserveActionNumbers: { body: { count: 1 }, reply: { numbers: [{ number: action.number, proof: actionProof }] } },
  recordAction: { body: { proof: actionProof, parts: action.parts }, reply: action },
  getAction: { reply: action },
  findActions: { reply: { items: [{ id: 4711, number: action.number }] } },
  getSeat: { reply: seat },
  editContent: {
    body: {},
    reply: { zone: 'emea', node: 'n0123456789abcdef', fqdn: 'uyuni1.acme.org', epoch: 3, forMs: 60_000, editors: 1 },
  },
  finishEditing: { body: {}, reply: { ...seat, done: true } },
  endEditing: { body: { who: 'admin:ada', because: 'she is on leave' }, reply: { ...seat, done: true } },
  markSynced: { body: { node: 'uyuni1.acme.org' }, reply: { ...seat, ahead: [], done: true } },
  getContent: { reply: content },
  applyContent: { body: { because: 'channels of November' }, reply: content },
  rollBackContent: { body: { revision: 1, because: 'the new channels are incomplete' }, reply: content },
  resumeContent: { body: {}, reply: content },
  diffContent: {
    reply: { from: 1, to: 2, differences: [{ kind: 'channel', key: 'tools', is: 'changed' as const, fields: ['summary'] }], more: false },
  },
  readContentBlob: { reply: { bytes: 'H4sIAAAAAAAAA4uOBQApu0wNAgAAAA==' } },
  storeContentBlob: { body: { bytes: 'H4sIAAAAAAAAA4uOBQApu0wNAgAAAA==' }, reply: { stored: true as const } },
  reportContent: {
    body: { incarnation: 3, order: 'r2-1', outcome: { is: 'failed' as const, why: ['channel tools: it has subscribers'] } },
    reply: { taken: true, because: 'revision 2 could not be applied' },
  },
  actOnSystems: {
    body: { systems: [fp], action: systemAction.what },
    reply: { results: [{ fp, done: true, because: 'ordered at uyuni1.acme.org' }], systems: 1, action: action.number },
  },
  systemAction: { reply: systemAction },
  cancelSystemAction: { reply: { cancelled: 12, others: 3 } },
  enterByForm: { reply: '<!doctype html>' },
  removeNode: { body: {}, reply: { done: true, because: 'an operator removes it: it stays out until it is admitted again' } },
  createNodeToken: {
    body: { nodes, uses: 40, cidr: '10.0.0.0/8' },
    reply: { secret: 'mjt_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_3d90aa', token: { ...token, admitted: [] } },
  },
  listNodeTokens: { reply: { items: [token] } },
  revokeNodeToken: { body: {}, reply: { ...token, status: 'revoked' as const, revokedAt: at } },
  listNodePool: { reply: { items: [pooled] } },
  admitHosts: {
    body: { hosts: [fp, 'ssu42.acme.org'] },
    reply: { results: [{ host: fp, done: true, because: 'ssu41.acme.org is admitted into zone default' }] },
  },
  rejectHosts: { body: { hosts: [fp] }, reply: { results: [{ host: fp, done: true, because: 'rejected by an operator' }] } },
  listAdmissionRules: { reply: { rules: [rule] } },
  addAdmissionRule: { body: rule, reply: { rules: [rule] } },
  deleteAdmissionRule: { body: {}, reply: { rules: [] } },
} satisfies Examples;
