import { ApiKeyId } from '../access/api-keys/api-key.ts';
import { ZoneName } from '../core/ids.ts';
import { at, type Examples } from './example.ts';

const apiKey = {
  id: ApiKeyId.parse('4q1zk0w8r2tn'),
  kind: 'key' as const,
  status: 'valid' as const,
  name: 'ticket system',
  rights: { operate: [ZoneName.parse('default')] },
  createdAt: at,
  createdBy: 'admin:ada',
  expiresAt: '2026-07-30T12:00:00Z',
};

const session = { who: 'admin:ada', name: 'Ada Lovelace', rights: { read: 'all' as const }, expires: at };
const made = { kind: 'join-token' as const, id: '8c2v5n1xq0rz', name: 'ssu[1-40].acme.org', createdAt: at };
const subject = { subject: 'u-1742', status: 'locked' as const, lockedAt: at, lockedBy: 'admin:ada', madeEndedAt: at };

/** An example of the body and the answer of each route about keys and signing in. */
export const keyExamples = {
  createKey: {
    body: { name: 'ticket system', scopes: ['operate'], zones: [ZoneName.parse('default')], expiresInDays: 90 },
    reply: { secret: 'mak_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_09cf7b', key: apiKey },
  },
  listKeys: { reply: { items: [apiKey] } },
  revokeKey: { body: { withMade: true, dryRun: false }, reply: { ...apiKey, status: 'revoked', revokedAt: at, made: [made] } },
  listSubjects: { reply: { items: [subject] } },
  lockSubject: { body: { subject: 'u-1742', withMade: true, dryRun: false }, reply: { subject, made: [made] } },
  unlockSubject: { body: { subject: 'u-1742' }, reply: { subject: 'u-1742', status: 'unlocked', madeEndedAt: at } },
  createSignInLink: {
    body: {},
    reply: { link: 'https://muster.acme.org/sign-in#msl_7h3m9x2c5vqa_Jr8sKd0fWz3bNy6tGq1uHx4eCv7mLp2aRi5oTk9wEjY_51be0a', expires: at },
  },
  signIn: {
    body: { secret: 'msl_7h3m9x2c5vqa_Jr8sKd0fWz3bNy6tGq1uHx4eCv7mLp2aRi5oTk9wEjY_51be0a' },
    reply: { token: 'mst_2n6c8f1d4gzb_Xe5uPq9tBw2mKj7vHs0yNr3cFa6iLo8dGz1kTf4hRpQ_e8d213', expires: at, name: 'Ada Lovelace' },
  },
  getSession: { reply: { session, canRenew: true, methods: ['oidc', 'link'] } },
  beginSession: {
    body: { secret: 'msl_7h3m9x2c5vqa_Jr8sKd0fWz3bNy6tGq1uHx4eCv7mLp2aRi5oTk9wEjY_51be0a' },
    reply: session,
  },
  endSession: { body: {}, reply: { wasSignedIn: true } },
  renewSession: { body: {}, reply: session },
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
    body: { force: false, replaces: 1 },
    reply: { current: 2, because: 'key 2 signs; tokens of key 1 are valid until they are renewed' },
  },
} satisfies Examples;
