import { beforeEach, describe, expect, it } from 'vitest';
import { adminRoutes } from '../../../lib/admin-contract.ts';
import type { Route } from '../../../lib/api/route.ts';
import { write } from '../../../lib/core/decision.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { hourMs, plusMs } from '../../../lib/core/time.ts';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import { mintSecret } from '../../../lib/identity/secret-text.ts';
import { InvalidToken, type Issuer } from '../../../lib/ports/issuer/issuer.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { adminCall } from '../../../tools/support/admin-call.ts';
import { aNode, nodeId } from '../../../tools/support/builders.ts';
import { asOperator, operatorSecret } from '../../../tools/support/operator.ts';
import { aKey, showing } from '../../support/callers.ts';

const zone = ZoneName.parse('default');
let shell: TestShell;
beforeEach(() => {
  shell = aShell();
});

const call = (
  path: string,
  headers: Readonly<Record<string, string>>,
  { body, method, on = shell }: { body?: object; method?: string; on?: Shell } = {},
) => adminCall(on, path, headers, body, method);
const settings = (headers: Readonly<Record<string, string>>, on?: Shell) => call('settings', headers, on && { on });

const unknown = { status: 401, problem: 'bearer-invalid', challenge: 'Bearer realm="muster", error="invalid_token"' };

describe('a call of the admin API', () => {
  it('without a bearer token is told to sign in', async () => {
    const refusal = { status: 401, problem: 'sign-in-needed', challenge: 'Bearer realm="muster"' };
    expect(await settings({})).toMatchObject(refusal);
    expect(await settings({ authorization: '' })).toMatchObject(refusal);
  });

  it('is refused in the same way whatever is wrong with the token, and the token is repeated nowhere', async () => {
    const { text } = await aKey(shell, rightsOf(['read'], 'all'));
    const stranger = mintSecret('mak', shell.randomBytes).text;
    const other = mintSecret('mak', shell.randomBytes);
    const ofAnotherId = mintSecret('mak', (n) => (n === 12 ? new Uint8Array(n).fill(1) : shell.randomBytes(n))).text;
    const wrong = [`Basic ${text}`, text, `Bearer ${text} ${text}`, `Bearer ${text.slice(0, -1)}0`, `Bearer ${text}x`, 'Bearer x'];
    const tokens = [stranger, other.text, ofAnotherId, text.replace('mak_', 'mst_'), 'a.b.c', 'x'.repeat(10_000), '__proto__'];
    for (const authorization of [...wrong, ...tokens.map((token) => `Bearer ${token}`)]) {
      const refusal = await settings({ authorization });
      expect(refusal, authorization).toMatchObject(unknown);
      expect(JSON.stringify(refusal)).not.toContain(text.slice(17, 50));
    }
    expect(JSON.stringify([...shell.table.rows.values(), shell.logged])).not.toContain(text.split('_').slice(2).join('_'));
  });

  it('is answered to the operator, to a key and to a session, with the scheme in any case', async () => {
    const key = await aKey(shell, rightsOf(['read'], 'all'));
    const session = await aKey(shell, rightsOf(['read'], 'all'), { kind: 'session', who: 'admin:ada' });
    for (const text of [operatorSecret, key.text, session.text]) {
      expect((await settings(showing(text))).status).toBe(200);
      expect((await settings({ authorization: `bearer  ${text}` })).status).toBe(200);
    }
    const { operatorHash: _none, ...elsewhere } = shell;
    expect(await settings(asOperator, elsewhere)).toMatchObject(unknown);
  });

  it('is refused from the moment on at which a key has expired, though it was met before', async () => {
    const { text } = await aKey(shell, rightsOf(['read'], 'all'), { expiresAt: plusMs(shell.now(), 2_000) });
    expect((await settings(showing(text))).status).toBe(200);
    shell.step(1_999);
    expect((await settings(showing(text))).status).toBe(200);
    shell.step(1);
    expect(await settings(showing(text))).toMatchObject(unknown);
  });

  it('is refused at once where a key was revoked, and within 5 s in every other environment', async () => {
    const { id, text } = await aKey(shell, rightsOf(['read'], 'all'));
    const elsewhere = { ...shell, caches: new Map() };
    for (const on of [shell, elsewhere]) expect((await settings(showing(text), on)).status).toBe(200);

    expect((await call(`keys/${id}/revoke`, asOperator, { body: {} })).status).toBe(200);
    expect(await settings(showing(text))).toMatchObject(unknown);
    expect((await settings(showing(text), elsewhere)).status).toBe(200);
    shell.step(5_000);
    expect(await settings(showing(text), elsewhere)).toMatchObject(unknown);
  });

  it('reads a key at most once in three seconds, and notes its use at most once in an hour', async () => {
    const { id, text } = await aKey(shell, rightsOf(['read'], 'all'));
    const used = async () => (await call('keys', asOperator)).body['items']?.[0]?.['lastUsedAt'];
    expect(await used()).toBeUndefined();
    await settings(showing(text));
    const first = await used();
    expect(first).toBe(new Date(shell.now()).toISOString());
    const { rev } = [...shell.table.rows.values()].find((row) => row.key.pk === `api-key#${id}`)!;
    shell.step(hourMs - 1);
    await settings(showing(text));
    const before = shell.table.meter.readUnits;
    for (let n = 0; n < 10; n++) await settings(showing(text));
    expect(shell.table.meter.readUnits - before).toBe(10);
    expect([...shell.table.rows.values()].find((row) => row.key.pk === `api-key#${id}`)!.rev).toBe(rev);
    shell.step(1);
    await settings(showing(text));
    expect(await used()).not.toBe(first);
  });

  it('is answered although the use of its key could not be noted', async () => {
    const { text } = await aKey(shell, rightsOf(['read'], 'all'));
    const failing = { ...shell, table: { ...shell.table, commit: () => Promise.reject(new Error('the disk is full')) } };
    expect((await settings(showing(text), failing)).status).toBe(200);
    expect(shell.logged.map(({ code }) => code)).toContain('key.use-unnoted');
  });
});

describe('a scope', () => {
  const needing = {
    read: 'settings',
    number: 'actions/numbers',
    edit: 'zones/default/seat/finish',
    operate: 'systems/unregister',
    execute: 'zones/default/service-types/web',
    admin: 'sign-in-links',
    security: 'keys',
    report: 'reports',
  } as const;
  const aLeave = { type: 'node.leaving', version: 1, id: 'patch-tuesday', node: nodeId(1), data: { mode: 'hold' } };
  const bodies = {
    number: {},
    edit: {},
    operate: { systems: ['0'.repeat(64)] },
    execute: { start: ['web'] },
    admin: {},
    report: [aLeave],
  } as const;
  const enough = {
    read: adminScopes,
    number: ['number', 'operate', 'execute', 'admin'],
    edit: ['edit', 'operate', 'execute', 'admin'],
    operate: ['operate', 'execute', 'admin'],
    execute: ['execute'],
    admin: ['admin'],
    security: ['security'],
    report: ['report'],
  } as const;

  it.each(adminScopes)('%s › is held by whom it was given, or a scope that brings it along, and asked of everybody else', async (scope) => {
    await adminCall(shell, 'zones', asOperator, { name: 'default' });
    const node = { ref: { noun: 'node', id: nodeId(1) }, readRev: 0, decision: write(aNode(), 'a test') };
    await applyPlan(shell, { id: 'a node' }, async () => ({ changes: [node], because: ['a test'] }));
    for (const held of adminScopes) {
      const { text } = await aKey(shell, rightsOf([held], 'all'));
      const body = (bodies as Readonly<Record<string, object>>)[scope];
      const answer = await call(needing[scope], showing(text), body && { body, ...(scope === 'execute' && { method: 'PUT' }) });
      if ((enough[scope] as readonly string[]).includes(held)) expect([200, 201, 202], held).toContain(answer.status);
      else {
        expect(answer, held).toMatchObject({ status: 403, problem: 'insufficient-scope' });
        expect(answer.challenge).toBe(`Bearer realm="muster", error="insufficient_scope", scope="${scope}"`);
        expect(String(answer.body['detail'])).toContain(scope);
      }
    }
  });

  it.each([
    ['number', ['reserveActionNumbers', 'recordAction']],
    ['edit', ['editContent', 'finishEditing']],
  ] as const)('%s › opens these routes beside those of read, and no other: %j', async (held, names) => {
    const { text } = await aKey(shell, rightsOf([held], 'all'));
    const routes = Object.entries(adminRoutes as Readonly<Record<string, Route>>);
    const opened = routes.filter(([, { scope }]) => scope === held).map(([name]) => name);
    expect(opened).toEqual(names);
    for (const [name, { method, path, scope }] of routes.filter(([, { scope }]) => !['anyone', 'read', held].includes(scope))) {
      const at = path.replace('/api/v1/', '').replaceAll(/\{\w+\}/g, 'x');
      const answer = await call(at, showing(text), { method, ...(method !== 'GET' && { body: {} }) });
      expect(answer, name).toMatchObject({ status: 403, problem: 'insufficient-scope' });
      expect(answer.challenge, name).toContain(`scope="${scope}"`);
    }
  });

  it('that is missing is told before the body is looked at', async () => {
    const { text } = await aKey(shell, rightsOf(['read'], 'all'));
    expect(await call('systems/ban', showing(text), { body: { nonsense: 1 } })).toMatchObject({ status: 403 });
  });
});

describe('a token of the issuer', () => {
  const issuerSaying = (verify: Issuer['verify']): Issuer => ({
    verify,
    public: { issuer: 'https://id', clientId: 'm', scopes: 'openid' },
  });
  const jwt = showing('header.payload.signature');

  it('is what the issuer says it is', async () => {
    const issuer = issuerSaying(async () => ({
      subject: 'ada',
      name: 'Ada',
      rights: rightsOf(['operate'], [zone]),
      expiresAt: shell.now(),
    }));
    expect((await call('whoami', jwt, { on: { ...shell, issuer } })).body).toEqual({
      who: 'admin:ada',
      name: 'Ada',
      rights: { read: ['default'], number: ['default'], edit: ['default'], operate: ['default'] },
    });
  });

  it('that it does not know is refused for its reason, and an issuer that is away is no verdict', async () => {
    const refusing = issuerSaying(async () => Promise.reject(new InvalidToken('it has expired')));
    expect(await settings(jwt, { ...shell, issuer: refusing })).toMatchObject({ ...unknown, body: { detail: 'it has expired' } });
    const broken = issuerSaying(async () => Promise.reject(new Error('no keys')));
    expect((await settings(jwt, { ...shell, issuer: broken })).status).toBe(500);
    expect(await settings(jwt)).toMatchObject(unknown);
  });
});

describe('an Idempotency-Key', () => {
  it('is the caller’s own: nobody is given the answer to the call of another', async () => {
    const [one, another] = [await aKey(shell, rightsOf(['operate'], 'all')), await aKey(shell, rightsOf(['operate'], [zone]))];
    const body = { systems: ['0'.repeat(64)], zone: 'other' };
    const accept = ({ text }: { text: string }) => call('systems/accept', { ...showing(text), 'idempotency-key': 'k' }, { body });
    expect(await accept(one)).toMatchObject({ status: 404 });
    await call('systems/unregister', { ...showing(one.text), 'idempotency-key': 'u' }, { body: { systems: body.systems } });
    const mine = await call(
      'systems/unregister',
      { ...showing(another.text), 'idempotency-key': 'u' },
      { body: { systems: ['1'.repeat(64)] } },
    );
    expect(mine.status).toBe(200);
  });
});
