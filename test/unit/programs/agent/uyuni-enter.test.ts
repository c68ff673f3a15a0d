import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApiClient, apiClient, Unreachable } from '../../../../lib/api/client.ts';
import type { NodeId } from '../../../../lib/core/ids.ts';
import { type EpochMs, plusMs } from '../../../../lib/core/time.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { enterPath, enterRoutes } from '../../../../programs/agent/uyuni/enter/enter.ts';
import { type EnterRules, loginOf, rulesIn } from '../../../../programs/agent/uyuni/enter/rules.ts';

const rules = (given: Partial<EnterRules> = {}): EnterRules => ({
  by: 'subject',
  logins: {},
  same: false,
  origins: [],
  rhnConf: '/etc/rhn/rhn.conf',
  ...given,
});
const alice = { who: 'admin:u-17', subject: 'u-17', name: 'alice' };

describe('the login of a person', () => {
  it('is that of the subject, which never changes, unless the rules go by the name', () => {
    expect(loginOf(rules({ logins: { 'u-17': 'al' } }), alice)).toBe('al');
    expect(loginOf(rules({ logins: { alice: 'al' } }), alice)).toBeUndefined();
    expect(loginOf(rules({ by: 'name', logins: { alice: 'al' } }), alice)).toBe('al');
    expect(loginOf(rules({ same: true }), alice)).toBe('u-17');
    expect(loginOf(rules({ by: 'name', same: true }), alice)).toBe('alice');
    expect(loginOf(rules({ same: true, logins: { 'u-17': 'al' } }), alice)).toBe('al');
    expect(loginOf(rules({ by: 'name', same: true }), { ...alice, name: 'a'.repeat(65) })).toBeUndefined();
  });
  it('is never that of a name which somebody else has given: API keys and the operator have none but their own', () => {
    for (const who of ['key:0123456789ab', 'operator']) {
      const named = { who, name: 'admin' };
      expect(loginOf(rules({ by: 'name', same: true, logins: { admin: 'admin' } }), named)).toBeUndefined();
      expect(loginOf(rules({ logins: { [who]: 'robot' } }), named)).toBe('robot');
    }
    expect(loginOf(rules(), { who: 'toString', name: 'x' })).toBeUndefined();
  });
});

describe('the rules', () => {
  it('are refused where others may write them, where they are none, and where one is wrong', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-rules-'));
    const file = join(folder, 'enter.json');
    const written = (text: string, mode = 0o600) => {
      writeFileSync(file, text);
      chmodSync(file, mode);
      return file;
    };
    expect(rulesIn(file)).toMatchObject({ ok: false, why: expect.stringContaining('ENOENT') });
    expect(rulesIn(written('{'))).toMatchObject({ ok: false, why: expect.stringContaining('not JSON') });
    expect(rulesIn(written('{"login":{}}'))).toMatchObject({ ok: false });
    expect(rulesIn(written('{"origins":["https://muster.acme.org/ui/"]}'))).toMatchObject({
      ok: true,
      rules: { by: 'subject', same: false, origins: ['https://muster.acme.org'], rhnConf: '/etc/rhn/rhn.conf' },
    });
    expect(rulesIn(written('{}', 0o666))).toMatchObject({ ok: false, why: expect.stringContaining('can be written to by others') });
    rmSync(folder, { recursive: true });
  });
});

describe('the page that takes tickets', () => {
  const tickets = '/nodes/n6b86b273ff34fce1/tickets';
  const ticket = mintSecret('met', (bytes) => new Uint8Array(bytes)).text;
  const page = (api: ApiClient, isMember = true) => {
    let now = 0 as EpochMs;
    const member = { node: 'n6b86b273ff34fce1' as NodeId, incarnation: 1, generation: 1 };
    const [post] = enterRoutes({
      endpoint: 'https://muster.acme.org/base',
      agent: () => ({ api, member: () => (isMember ? member : undefined) }),
      rules: () => ({ ok: true, rules: rules({ same: true }) }),
      mint: async (login) => ({ ok: true, key: '1xab', login, lifetimeS: 3_600 }),
      now: () => now,
      say: () => undefined,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return {
      enter: (body: string) => post!.answer({ method: 'POST', path: enterPath, query: new URLSearchParams(), headers, body }),
      passes: (ms: number) => {
        now = plusMs(now, ms);
      },
    };
  };
  const away: ApiClient = async () => {
    throw new Unreachable('POST https://muster.acme.org/: ECONNREFUSED');
  };
  /** Muster takes every ticket. */
  const taking = (calls: string[], path = '/rhn/YourRhn.do'): ApiClient =>
    apiClient('https://muster.acme.org', {
      fetching: async (url) => {
        calls.push(new URL(url).pathname);
        if (url.endsWith('/entry')) throw new Error('cut off');
        return Response.json({ ticket: '0123456789ab', ...alice, path });
      },
    });

  it('lets nobody in while Muster cannot be asked, or the host is no node', async () => {
    expect(await page(away).enter(`ticket=${ticket}`)).toMatchObject({ status: 503 });
    expect(await page(away, false).enter(`ticket=${ticket}`)).toMatchObject({ status: 503 });
  });
  it('leads to no page but one of this server, whatever Muster answers', async () => {
    expect(await page(taking([], '//evil.example')).enter(`ticket=${ticket}`)).toMatchObject({ status: 503 });
  });
  it('lets a person in whose outcome could not be recorded, since the ticket is used up', async () => {
    const calls: string[] = [];
    expect(await page(taking(calls)).enter(`ticket=${ticket}`)).toMatchObject({ status: 303 });
    expect(calls).toEqual([tickets, `${tickets}/0123456789ab/entry`]);
  });
  it('asks Muster about few who bring none, so that a flood of them shuts nobody out', async () => {
    const calls: string[] = [];
    const { enter, passes } = page(taking(calls));
    for (let n = 0; n < 50; n++) await enter('');
    expect(calls.filter((path) => path === tickets)).toHaveLength(5);
    expect(await enter(`ticket=${ticket}`)).toMatchObject({ status: 303 });
    for (let n = 0; n < 19; n++) await enter(`ticket=${ticket}`);
    expect(await enter(`ticket=${ticket}`)).toMatchObject({ status: 429 });
    passes(500);
    expect(await enter(`ticket=${ticket}`)).toMatchObject({ status: 303 });
  });
});
