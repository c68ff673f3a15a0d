import { beforeEach, describe, expect, it } from 'vitest';
import { ZoneName } from '../../../../lib/core/ids.ts';
import { dayMs, type EpochMs, hourMs, minuteMs, plusMs } from '../../../../lib/core/time.ts';
import { adminScopes, rightsOf } from '../../../../lib/identity/rights.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { applyPlan } from '../../../../lib/runtime/apply-plan.ts';
import type { Shell } from '../../../../lib/runtime/shell.ts';
import { planZone } from '../../../../lib/zones/create.ts';
import { aShell, type TestShell } from '../../../../tools/support/a-shell.ts';
import { adminCall } from '../../../../tools/support/admin-call.ts';
import { asOperator, operatorSecret } from '../../../../tools/support/operator.ts';
import { aKey, showing } from '../../../support/callers.ts';

const zone = ZoneName.parse('default');
let shell: TestShell;
beforeEach(() => {
  shell = aShell();
});

const call = (path: string, headers: Readonly<Record<string, string>>, { body, on = shell }: { body?: object; on?: Shell } = {}) =>
  adminCall(on, path, headers, body);
const settings = (headers: Readonly<Record<string, string>>, on?: Shell) => call('settings', headers, on && { on });

const unknown = { status: 401, problem: 'bearer-invalid', challenge: 'Bearer realm="muster", error="invalid_token"' };

describe('an API key', () => {
  const make = (body: object, headers: Readonly<Record<string, string>> = asOperator) =>
    call('keys', headers, { body: { name: 'tickets', scopes: ['read'], ...body } });

  it('is answered once, lives for 90 days unless told, and is listed without its secret', async () => {
    const { status, body } = await make({ scopes: ['operate'], zones: ['default'] });
    const expiresAt = new Date(shell.now() + 90 * dayMs).toISOString();
    expect({ status, key: body['key'] }).toMatchObject({
      status: 201,
      key: { name: 'tickets', rights: { operate: ['default'] }, expiresAt, createdBy: 'operator', status: 'valid', kind: 'key' },
    });
    expect((await settings(showing(body['secret']!))).status).toBe(200);
    const { body: listed } = await call('keys', asOperator);
    expect(listed['items']).toMatchObject([{ name: 'tickets' }]);
    expect(JSON.stringify(listed)).not.toMatch(/hash|mak_/);
  });

  it('ends when it is told to, at the most after 400 days', async () => {
    const endingIn = (ms: number) => make({ expires: new Date(shell.now() + ms).toISOString() });
    expect((await endingIn(400 * dayMs)).status).toBe(201);
    for (const ms of [400 * dayMs + 1, 0, -1]) expect(await endingIn(ms)).toMatchObject({ status: 422, problem: 'invalid' });
    for (const body of [{ expiresInDays: 0 }, { expiresInDays: 401 }, { scopes: [] }, { zones: [] }, { name: '' }, { name: 'a\nb' }])
      expect(await make(body), JSON.stringify(body)).toMatchObject({ status: 422, problem: 'invalid' });
    expect((await make({ expiresInDays: 1, expires: new Date(shell.now() + 1).toISOString() })).status).toBe(422);
  });

  it('has nothing that who made it does not have', async () => {
    const { text } = await aKey(shell, rightsOf(['security'], 'all'));
    expect((await make({ scopes: ['security', 'read'] }, showing(text))).status).toBe(201);
    for (const scope of ['operate', 'admin'])
      expect(await make({ scopes: ['read', scope] }, showing(text))).toMatchObject({ status: 403, problem: 'insufficient-scope' });
    const mixed = await aKey(shell, { ...rightsOf(['security'], 'all'), operate: [zone] });
    expect((await make({ scopes: ['operate'], zones: ['default'] }, showing(mixed.text))).status).toBe(201);
    for (const zones of [undefined, ['other'], ['default', 'other']])
      expect(await make({ scopes: ['operate'], zones }, showing(mixed.text))).toMatchObject({ status: 403, problem: 'insufficient-scope' });
  });

  it('is for zones that there are', async () => {
    const unknown = { status: 404, problem: 'unknown-zone', body: { detail: 'no zone is called lab' } };
    for (const zones of [['lab'], ['default', 'lab']]) expect(await make({ zones }), String(zones)).toMatchObject(unknown);
    expect((await call('keys', asOperator)).body['items']).toEqual([]);
    await applyPlan(shell, { id: 'lab' }, async () => planZone(ZoneName.parse('lab'), 2, shell.now()));
    expect(await make({ zones: ['default', 'lab'] })).toMatchObject({
      status: 201,
      body: { key: { rights: { read: ['default', 'lab'] } } },
    });
  });

  it('is another each time, also under one Idempotency-Key: its secret is remembered nowhere', async () => {
    const keyed = { ...asOperator, 'idempotency-key': 'again' };
    const secrets = [await make({}, keyed), await make({}, keyed)].map(({ body }) => body['secret']);
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets)
      expect(JSON.stringify([...shell.table.rows.values()])).not.toContain(String(secret).split('_').slice(2).join('_'));
  });

  it('is in the audit under whoever revoked it', async () => {
    const by = await aKey(shell, rightsOf(['security'], 'all'));
    const { id } = await aKey(shell, rightsOf(['read'], 'all'));
    await call(`keys/${id}/revoke`, showing(by.text), { body: {} });
    expect((await shell.table.read(keyOf({ noun: 'api-key', id })))?.actor).toMatchObject({ who: `key:${by.id}`, key: by.id });
  });

  it('that there is not is not revoked; one that was is shown as such', async () => {
    expect(await call('keys/0123456789ab/revoke', asOperator, { body: {} })).toMatchObject({ status: 404, problem: 'unknown-key' });
    const { id } = await aKey(shell, rightsOf(['read'], 'all'));
    for (let n = 0; n < 2; n++)
      expect((await call(`keys/${id}/revoke`, asOperator, { body: {} })).body).toMatchObject({ status: 'revoked' });
  });
});

/** A link's text, and the session that it begins. */
const link = async (headers: Readonly<Record<string, string>> = asOperator, on?: Shell) =>
  String((await call('sign-in-links', headers, { body: {}, ...(on && { on }) })).body['link']);
const signIn = (secret: string) => call('sign-in', {}, { body: { secret } });
const secretIn = (text: string) => text.slice(text.indexOf('#') + 1);

describe('a sign-in link', () => {
  it('lets in once, with what its maker may do, for 12 hours', async () => {
    const { text } = await aKey(shell, rightsOf(['admin'], [zone]), { kind: 'session', who: 'admin:ada', name: 'Ada' });
    const made = await link(showing(text));
    expect(made).toMatch(/^https:\/\/muster\.acme\.org\/sign-in#msl_/);
    const { status, body } = await signIn(secretIn(made));
    expect({ status, expires: body['expires'] }).toEqual({ status: 201, expires: new Date(shell.now() + 12 * hourMs).toISOString() });
    const session = showing(body['token']!);
    expect((await call('whoami', session)).body).toMatchObject({ who: 'admin:ada', name: 'Ada', rights: { admin: ['default'] } });
    expect(await signIn(secretIn(made))).toMatchObject(unknown);
    shell.step(12 * hourMs);
    expect(await settings(session)).toMatchObject(unknown);
  });

  it('lets in one of many who use it at once', async () => {
    const secret = secretIn(await link());
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await call('sign-in', {}, { body: { secret }, on: { ...shell, caches: new Map() } })).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(7);
  });

  it('is worth nothing after 10 minutes, when it was mistyped, and as a bearer token', async () => {
    const secret = secretIn(await link());
    expect(await settings(showing(secret))).toMatchObject(unknown);
    expect(await signIn(`${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`)).toMatchObject(unknown);
    for (const wrong of ['x', operatorSecret, mintSecret('msl', shell.randomBytes).text])
      expect(await signIn(wrong)).toMatchObject(unknown);
    shell.step(10 * minuteMs);
    expect(await signIn(secret)).toMatchObject(unknown);
  });

  it('ends with the key that made it: what it let in, too', async () => {
    const { id, text } = await aKey(shell, rightsOf(['admin', 'security'], 'all'), { expiresAt: plusMs(shell.now(), hourMs) });
    const [one, another] = [secretIn(await link(showing(text))), secretIn(await link(showing(text)))];
    const { body } = await signIn(one);
    expect(body['expires']).toBe(new Date(shell.now() + hourMs).toISOString());
    const session = showing(body['token']!);
    expect((await settings(session)).status).toBe(200);
    expect(await call('sign-in-links', session, { body: {} })).toMatchObject({ status: 409, problem: 'refused' });
    const key = { name: 'outlives', scopes: ['read'] };
    expect(await call('keys', session, { body: key })).toMatchObject({ status: 409, problem: 'refused' });
    expect((await call('keys', showing(text), { body: key })).status).toBe(201);
    await call(`keys/${id}/revoke`, asOperator, { body: {} });
    shell.step(5_000);
    expect(await settings(session)).toMatchObject(unknown);
    expect(await signIn(another)).toMatchObject(unknown);
  });

  it('is revoked by its id: it lets nobody in', async () => {
    const secret = secretIn(await link());
    const id = secret.split('_')[1]!;
    for (let n = 0; n < 2; n++)
      expect(await call(`keys/${id}/revoke`, asOperator, { body: {} })).toMatchObject({
        status: 200,
        body: { id, kind: 'link', status: 'revoked' },
      });
    expect(await signIn(secret)).toMatchObject(unknown);
  });

  it('is how people sign in where there is no issuer', async () => {
    expect((await call('sign-in', {})).body).toEqual({ methods: ['link'] });
    const issuer = { verify: async () => Promise.reject(new Error()), public: { issuer: 'https://id', clientId: 'm', scopes: 'openid' } };
    expect((await call('sign-in', {}, { on: { ...shell, issuer } })).body).toEqual({ methods: ['oidc', 'link'], ...issuer.public });
  });
});

describe('a sign-in link made by a token of the issuer', () => {
  /** Whoever shows a JWT here is Ada, until then. */
  const until = (expiresAt: EpochMs): Shell => ({
    ...shell,
    issuer: {
      verify: async () => ({ subject: 'ada', name: 'Ada', rights: rightsOf(adminScopes, 'all'), expiresAt }),
      public: { issuer: 'https://id', clientId: 'm', scopes: 'openid' },
    },
  });
  const jwt = showing('header.payload.signature');

  it('lets in no longer than that token holds, and makes nothing that would', async () => {
    const end = plusMs(shell.now(), 15 * minuteMs);
    const { body } = await signIn(secretIn(await link(jwt, until(end))));
    expect(body['expires']).toBe(new Date(end).toISOString());
    const session = showing(body['token']!);
    expect((await call('whoami', session)).body).toMatchObject({ who: 'admin:ada' });
    expect(await call('sign-in-links', session, { body: {} })).toMatchObject({ status: 409, problem: 'refused' });
    expect(await call('keys', session, { body: { name: 'a', scopes: ['read'] } })).toMatchObject({ status: 409, problem: 'refused' });
    shell.step(15 * minuteMs - 1);
    expect((await settings(session)).status).toBe(200);
    shell.step(1);
    expect(await settings(session)).toMatchObject(unknown);
  });

  it('lets in for 12 hours at the most, however long the token holds', async () => {
    const { body } = await signIn(secretIn(await link(jwt, until(plusMs(shell.now(), 30 * dayMs)))));
    expect(body['expires']).toBe(new Date(shell.now() + 12 * hourMs).toISOString());
  });

  it('is not made in its last minute, and ends with it', async () => {
    const made = await call('sign-in-links', jwt, { body: {}, on: until(plusMs(shell.now(), minuteMs)) });
    expect(made).toMatchObject({ status: 201, body: { expires: new Date(shell.now() + minuteMs).toISOString() } });
    for (const left of [minuteMs - 1, 0, -minuteMs])
      expect(await call('sign-in-links', jwt, { body: {}, on: until(plusMs(shell.now(), left)) })).toMatchObject({
        status: 409,
        problem: 'refused',
      });
    shell.step(minuteMs);
    expect(await signIn(secretIn(String(made.body['link'])))).toMatchObject(unknown);
  });
});

describe('signing out', () => {
  const signOut = (headers: Readonly<Record<string, string>>, on?: Shell) => call('sign-out', headers, { body: {}, ...(on && { on }) });

  it('ends the own session at once, whatever it may do, with what its links let in, and is put down to it', async () => {
    const { id, text } = await aKey(shell, rightsOf(['operate'], [zone]), { kind: 'session', who: 'admin:ada' });
    const { text: child } = await aKey(shell, rightsOf(['operate'], [zone]), { kind: 'session', parent: id as never });
    const other = await aKey(shell, rightsOf(['read'], 'all'), { kind: 'session', who: 'admin:ada' });
    expect(await signOut(showing(text))).toMatchObject({ status: 200, body: { id, kind: 'session', status: 'revoked' } });
    for (const ended of [text, child]) expect(await settings(showing(ended))).toMatchObject(unknown);
    expect(await signOut(showing(text))).toMatchObject(unknown);
    expect((await settings(showing(other.text))).status).toBe(200);
    expect((await shell.table.read(keyOf({ noun: 'api-key', id })))?.actor).toMatchObject({ who: 'admin:ada', key: id });
  });

  it('is refused to whoever came by anything else, with where that ends', async () => {
    const { id, text } = await aKey(shell, rightsOf(['read'], 'all'));
    const ada = { subject: 'ada', name: 'Ada', rights: rightsOf(['read'], 'all'), expiresAt: plusMs(shell.now(), hourMs) };
    const issuer = { verify: async () => ada, public: { issuer: 'https://id', clientId: 'm', scopes: 'openid' } };
    const refused = (detail: RegExp) => ({ status: 409, problem: 'refused', body: { detail: expect.stringMatching(detail) } });
    expect(await signOut(showing(text))).toMatchObject(refused(new RegExp(`muster key revoke ${id}$`)));
    expect(await signOut(showing('header.payload.signature'), { ...shell, issuer })).toMatchObject(refused(/sign out at the issuer/));
    expect(await signOut(asOperator)).toMatchObject(refused(/when its host stops$/));
    for (const headers of [showing(text), asOperator]) expect((await settings(headers)).status).toBe(200);
    expect(await signOut({})).toMatchObject({ status: 401, problem: 'sign-in-needed' });
  });
});
