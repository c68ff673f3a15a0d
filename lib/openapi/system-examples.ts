import { at, type Examples, fingerprint, fp, fqdn, id, machineId } from './example.ts';

const results = { results: [{ fp, done: true, because: 'accepted into zone default' }] };
const system = {
  fp,
  fingerprint,
  fqdn: 'web1.acme.org',
  machineId,
  status: 'onboarded' as const,
  because: 'its daemon confirmed',
  zone: 'default',
  node: { id, fqdn, at, confirmed: true },
  clusterId: 1_500_000_017,
  tags: ['web'],
  groups: [],
  suggestedTags: ['web'],
  facts: { os: 'sles-15' },
  firstSeenAt: at,
  seenAt: at,
  accepted: { at, by: 'admin:joe@acme.org' },
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

const expected = { total: 2, digest: 'xbThXtuT5iyPUQWPl1jnHAv1cc2Wo3VNHZp4k-kQ3vM', at };

/** An example of the body and the answer of each route about client systems and their onboarding. */
export const systemExamples = {
  findSystems: {
    reply: {
      items: [system],
      total: 1,
      expect: { ...expected, total: 1 },
      asOf: at,
      query: 'tag:db web*',
      plan: [
        { column: 1, term: 'tag:db', way: 'exact', hits: 12 },
        { column: 8, term: 'web*', way: 'candidates', hits: 1 },
      ],
      facets: [{ field: 'status', distinct: 1, values: [{ value: 'onboarded', count: 1 }] }],
    },
  },
  listSystems: { reply: { items: [system], next: 'eyJvcGFxdWUiOnRydWV9' } },
  getSystem: { reply: system },
  editSystem: { body: { tags: ['web', 'blue'] }, reply: { ...system, tags: ['web', 'blue'] } },
  editSystems: {
    body: { where: { tag: 'web' }, tags: { add: ['prod'] } },
    reply: { results: [{ fp, done: true, because: 'tags: web, prod; groups: none' }] },
  },
  pinSystems: {
    body: { systems: [fp], node: fqdn },
    reply: { results: [{ fp, done: true, because: `pinned to ${fqdn}: it waits for that node and no other` }] },
  },
  unpinSystems: { body: { systems: [fp] }, reply: { results: [{ fp, done: true, because: 'unpinned: it goes by its slot' }] } },
  accept: { body: { systems: [fp], tags: ['web'] }, reply: results },
  unregister: {
    body: { query: 'tag:old status:onboarded', expect: expected, cursor: 'AW5hbWVzIHRoZSBuZXh0' },
    reply: {
      left: 1,
      results: [{ fp, done: true, because: 'unregistered: it is an orphan, and its key stays accepted' }],
    },
  },
  settleSystems: {
    body: { systems: [fp] },
    reply: { results: [{ fp, done: true, because: 'settled by an operator: the next boot that speaks is the only one' }] },
  },
  replaceSystem: {
    body: { by: fp },
    reply: { done: true, because: 'accepted into zone default in the place of the key 6b86b273ff34fce1' },
  },
  ban: { body: { systems: [fp] }, reply: { results: [{ fp, done: true, because: 'banned, for ever' }] } },
  listMetadata: { reply: { revision: 7, items: [{ kind: 'channels', revision: 4, bytes: 42, at, appended: false }] } },
  getMetadata: { reply: { kind: 'channels', revision: 4, at, document: { base: 'sles-15-sp6', child: ['tools'] } } },
  putMetadata: {
    body: { document: { base: 'sles-15-sp6', child: ['tools'] } },
    reply: { kind: 'channels', revision: 4, because: 'put channels, revision 4' },
  },
  appendMetadata: {
    body: { entries: [{ action: 'patch', at, result: 'done' }] },
    reply: { kind: 'actions', revision: 5, because: '1 appended to actions, revision 5' },
  },
  deleteMetadata: { reply: { kind: 'notes', revision: 6, because: 'removed notes, revision 6' } },
  createOnboardingToken: {
    body: { tags: ['web'], uses: 500, cidr: '10.0.0.0/8' },
    reply: { secret: `mot_${onboardingToken.id}_x4f…_a1b2c3`, token: onboardingToken },
  },
  listRefusedKnocks: {
    reply: {
      items: [
        { reason: 'onboarding-rate', source: '198.51.100.7', count: 312, firstAt: at, lastAt: at },
        {
          reason: 'token-refused',
          because: 'it is expired',
          source: '203.0.113.9',
          token: onboardingToken.id,
          zone: onboardingToken.zone,
          count: 4,
          firstAt: at,
          lastAt: at,
        },
      ],
    },
  },
  listOnboardingTokens: { reply: { items: [onboardingToken] } },
  revokeOnboardingToken: { body: {}, reply: { ...onboardingToken, status: 'revoked', revokedAt: at } },
} satisfies Examples;
