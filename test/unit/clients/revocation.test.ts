import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import { statusOf } from '../../../lib/access/api-keys/api-key.ts';
import { hasEndedWithMaker } from '../../../lib/access/known-keys.ts';
import { dayMs, hourMs, plusMs } from '../../../lib/core/time.ts';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import type { JoinToken } from '../../../lib/nodes/join-tokens/join-token.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { aKey, showing } from '../../support/callers.ts';

let shell: TestShell;
beforeEach(() => {
  shell = aShell();
});

const json = { 'content-type': 'application/json' };
type Headers = Readonly<Record<string, string>>;
async function call(method: 'GET' | 'POST', path: string, headers: Headers, body?: object, on: Shell = shell) {
  const request = aRequest({
    method,
    path: `/api/v1/${path}`,
    headers: { ...json, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await admin.handle(request, on);
  return { status: answer.status, body: JSON.parse(answer.body ?? '{}') };
}
const whoIs = async (text: string, on?: Shell) => (await call('GET', 'whoami', showing(text), undefined, on)).status;
const aKeyBy = async (headers: Headers, scopes: readonly string[] = ['security']) => {
  const { body } = await call('POST', 'keys', headers, { name: 'made', scopes });
  return { id: body.key.id as string, text: body.secret as string };
};
/** Another environment, which knows what it has read. */
const elsewhere = (): Shell => ({ ...shell, caches: new Map() });

describe('a key that is revoked with what was made with it', () => {
  it('opens nothing, and neither does what was made with it in any generation', async () => {
    const first = await aKeyBy(asOperator, ['admin', 'security']);
    const second = await aKeyBy(showing(first.text));
    const third = await aKeyBy(showing(second.text));
    const link = (await call('POST', 'sign-in-links', showing(first.text), {})).body.link as string;
    const session = (await call('POST', 'sign-in', {}, { secret: link.split('#')[1]! })).body.token as string;
    const others = await aKeyBy(asOperator);
    const { body } = await call('POST', `keys/${first.id}/revoke`, asOperator, { withMade: true });
    expect(body.made.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`).toSorted()).toEqual(
      [`key ${second.id}`, `key ${third.id}`, `session ${session.split('_')[1]}`].toSorted(),
    );
    for (const { text } of [first, second, third, { text: session }]) expect(await whoIs(text)).toBe(401);
    expect(await whoIs(others.text)).toBe(200);
  });

  it('is shown by a dry run, which ends nothing', async () => {
    const first = await aKeyBy(asOperator);
    const second = await aKeyBy(showing(first.text));
    const { body } = await call('POST', `keys/${first.id}/revoke`, asOperator, { withMade: true, dryRun: true });
    expect([body.status, body.made.map(({ id }: { id: string }) => id)]).toEqual(['valid', [second.id]]);
    expect([await whoIs(first.text), await whoIs(second.text)]).toEqual([200, 200]);
  });

  it('leaves what was made with it when that is not asked for', async () => {
    const first = await aKeyBy(asOperator);
    const second = await aKeyBy(showing(first.text));
    await call('POST', `keys/${first.id}/revoke`, asOperator, {});
    expect([await whoIs(first.text), await whoIs(second.text)]).toEqual([401, 200]);
    await call('POST', `keys/${first.id}/revoke`, asOperator, { withMade: true });
    expect(await whoIs(second.text)).toBe(401);
  });

  it('ends what another environment makes with it before that has heard', async () => {
    const other = elsewhere();
    const first = await aKeyBy(asOperator);
    // The first use is noted, and the key read anew; the second is remembered.
    for (let n = 0; n < 2; n++) expect(await whoIs(first.text, other)).toBe(200);
    await call('POST', `keys/${first.id}/revoke`, asOperator, { withMade: true });
    const late = (await call('POST', 'keys', showing(first.text), { name: 'late', scopes: ['security'] }, other)).body;
    expect(late.key.status).toBe('valid');
    shell.step(5_000);
    expect(await whoIs(late.secret, other)).toBe(401);
  });

  it('closes the tokens that it made to hosts and machines, and says so in their rows', async () => {
    const first = await aKeyBy(asOperator, ['admin', 'security', 'operate']);
    const join = (await call('POST', 'node-tokens', showing(first.text), { nodes: 'ssu[1-4].acme.org', uses: 4 })).body;
    const board = (await call('POST', 'onboarding-tokens', showing(first.text), {})).body;
    const { body } = await call('POST', `keys/${first.id}/revoke`, asOperator, { withMade: true });
    expect(body.made.map(({ kind, id }: { kind: string; id: string }) => [kind, id])).toEqual([
      ['join-token', join.token.id],
      ['onboarding-token', board.token.id],
    ]);
    for (const noun of ['join-token', 'onboarding-token'] as const) {
      const id = noun === 'join-token' ? join.token.id : board.token.id;
      const row = await shell.table.read(keyOf({ noun, id }));
      const { revokedAt, madeBy, createdAt } = row!.body as JoinToken;
      expect(revokedAt).toBe(shell.now());
      expect(row!.actor).toMatchObject({ who: 'operator' });
      expect(await hasEndedWithMaker(shell, madeBy!, createdAt)).toBe(true);
    }
  });

  it('keeps its row for as long as anything that was made with it could live', async () => {
    const first = await aKeyBy(asOperator);
    await call('POST', `keys/${first.id}/revoke`, asOperator, { withMade: true });
    expect((await shell.table.read(keyOf({ noun: 'api-key', id: first.id })))!.expiresAt).toBeGreaterThanOrEqual(shell.now() + 400 * dayMs);
  });

  it('ends keys of an older version by who made them', async () => {
    const first = await aKey(shell, rightsOf(['security'], 'all'));
    const old = await aKey(shell, rightsOf(['read'], 'all'), { createdBy: `key:${first.id}` });
    await call('POST', `keys/${first.id}/revoke`, asOperator, { withMade: true });
    expect(await whoIs(old.text)).toBe(401);
  });

  it('is one of at most eight that were made one with the other', async () => {
    let key = await aKeyBy(asOperator);
    for (let n = 1; n < 8; n++) key = await aKeyBy(showing(key.text));
    const { status, body } = await call('POST', 'keys', showing(key.text), { name: 'ninth', scopes: ['security'] });
    expect([status, body.type]).toEqual([409, 'urn:muster:problem:refused']);
  });
});

describe('a subject of the issuer', () => {
  const withIssuer = (on: Shell): Shell => ({
    ...on,
    issuer: {
      verify: async () => ({ subject: 'u-17', name: 'Ada', rights: rightsOf(adminScopes, 'all'), expiresAt: plusMs(shell.now(), hourMs) }),
      public: { issuer: 'https://id', clientId: 'm', scopes: 'openid' },
    },
  });
  const jwt = 'header.payload.signature';
  const lock = (body: object) => call('POST', 'subjects/lock', asOperator, body);

  it('is refused once it is locked, everywhere within 5 s, although its tokens are valid', async () => {
    const other = withIssuer(elsewhere());
    expect(await whoIs(jwt, other)).toBe(200);
    const { body } = await lock({ subject: 'u-17' });
    expect(body).toEqual({
      subject: { subject: 'u-17', status: 'locked', lockedAt: new Date(shell.now()).toISOString(), lockedBy: 'operator' },
      made: [],
    });
    expect(await whoIs(jwt, withIssuer(shell))).toBe(401);
    shell.step(5_000);
    expect(await whoIs(jwt, other)).toBe(401);
  });

  it('is taken again once it is unlocked', async () => {
    await lock({ subject: 'u-17' });
    const { body } = await call('POST', 'subjects/unlock', asOperator, { subject: 'u-17' });
    expect(body).toEqual({ subject: 'u-17', status: 'unlocked' });
    expect(await whoIs(jwt, withIssuer(shell))).toBe(200);
    expect((await call('GET', 'subjects', asOperator)).body.items).toEqual([body]);
  });

  it('has no session any more, and no link that begins one', async () => {
    const on = withIssuer(shell);
    const [used, unused] = [
      (await call('POST', 'sign-in-links', showing(jwt), {}, on)).body.link as string,
      (await call('POST', 'sign-in-links', showing(jwt), {}, on)).body.link as string,
    ];
    const session = (await call('POST', 'sign-in', {}, { secret: used.split('#')[1]! })).body.token as string;
    expect(await whoIs(session)).toBe(200);
    await lock({ subject: 'u-17' });
    expect(await whoIs(session)).toBe(401);
    expect((await call('POST', 'sign-in', {}, { secret: unused.split('#')[1]! })).status).toBe(401);
  });

  it('keeps the keys that it made, unless these end with it: then for good', async () => {
    const made = (await call('POST', 'keys', showing(jwt), { name: 'ci', scopes: ['security'] }, withIssuer(shell))).body;
    const further = await aKeyBy(showing(made.secret));
    await lock({ subject: 'u-17' });
    expect([await whoIs(made.secret), await whoIs(further.text)]).toEqual([200, 200]);
    const { body } = await lock({ subject: 'u-17', withMade: true });
    expect(body.made.map(({ id }: { id: string }) => id).toSorted()).toEqual([made.key.id, further.id].toSorted());
    await call('POST', 'subjects/unlock', asOperator, { subject: 'u-17' });
    expect([await whoIs(made.secret), await whoIs(further.text)]).toEqual([401, 401]);
    shell.step(11_000);
    const later = (await call('POST', 'keys', showing(jwt), { name: 'ci', scopes: ['read'] }, withIssuer(shell))).body;
    expect(await whoIs(later.secret)).toBe(200);
  });

  it('does not lock itself, and says who does', async () => {
    const { status, body } = await call('POST', 'subjects/lock', showing(jwt), { subject: 'u-17' }, withIssuer(shell));
    expect([status, body.type]).toEqual([409, 'urn:muster:problem:refused']);
  });
});

describe('a row of a key that says that it lives for ever', () => {
  it.each([
    ['key', 400 * dayMs],
    ['session', 12 * hourMs],
    ['link', 600_000],
  ] as const)('of a %s ends all the same', async (kind, lifeMs) => {
    const { id } = await aKey(shell, rightsOf(['read'], 'all'), { kind, expiresAt: plusMs(shell.now(), 10_000 * dayMs) });
    const key = (await shell.table.read(keyOf({ noun: 'api-key', id })))!.body as never;
    expect(statusOf(key, plusMs(shell.now(), lifeMs - 1))).toBe('valid');
    expect(statusOf(key, plusMs(shell.now(), lifeMs))).toBe('expired');
  });
});
