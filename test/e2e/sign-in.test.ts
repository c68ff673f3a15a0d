import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readOwnFile } from '../../lib/machine/own.ts';
import { exitCodes } from '../../programs/cli/exit-codes.ts';
import type { SignedIn } from '../../programs/cli/sign-in/tokens.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { anIdentityProvider, browse, type IdentityProvider } from '../../tools/support/identity-provider.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

const users = {
  ada: { groups: ['muster-admin'] },
  bob: { groups: ['muster-read'] },
  eve: { groups: ['staff'] },
};
let provider: IdentityProvider;
let host: TestHost;
let config: string;

beforeAll(async () => {
  // Shorter than what a token must still hold when it is used: every command renews it.
  provider = await anIdentityProvider({ users, accessTokenS: 20 });
  host = await aHost({ issuer: provider.settings });
});
afterAll(async () => {
  await host.stop();
  await provider.stop();
});
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'muster-home-'));
  return () => rmSync(config, { recursive: true });
});

/** Runs a line as somebody with a home of their own and a browser, in which they sign in as `user`. */
async function typed(line: string, user?: string, env: Readonly<Record<string, string>> = {}) {
  let page: Promise<string> | undefined;
  const result = await ran(line, {
    env: { MUSTER_ENDPOINT: host.url, XDG_CONFIG_HOME: config, ...env },
    read: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    readOwn: readOwnFile,
    now: () => Date.now(),
    sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }),
    open: (url) => {
      if (user !== undefined) page = browse(url, user);
    },
  });
  return { ...result, page: await page };
}

const login = (user: string) => typed('login --port 0', user);
const kept = (): SignedIn | undefined =>
  (JSON.parse(readFileSync(join(config, 'muster', 'tokens.json'), 'utf8')) as Record<string, SignedIn>)[host.url];

describe('somebody who signs in by the browser', () => {
  it('is who the provider says, and may do what their groups may', async () => {
    const { code, err, out, page } = await login('ada');

    expect({ code, out }).toEqual({ code: exitCodes.done, out: '' });
    expect(err).toMatch(/signed in as ada: (read, number, edit, operate, admin|admin) everywhere\n$/);
    expect(page).toContain('You can close this page');
    expect(err).not.toContain(kept()!.token);
    expect((await typed('status')).code).toBe(exitCodes.done);
    expect((await typed('settings set --beat-min 2s')).code).toBe(exitCodes.done);
    expect((await typed('whoami')).out).toContain('admin:ada');
  });

  it('only to look is refused what changes something, and told what it takes', async () => {
    await login('bob');

    expect((await typed('status')).code).toBe(exitCodes.done);
    const { code, err } = await typed('settings set --beat-min 3s');
    expect(code).toBe(exitCodes.notAllowed);
    expect(err).toContain('needs the scope admin');
  });

  it('and is in no group that we know may do nothing', async () => {
    const { code, err } = await login('eve');

    expect(code).toBe(exitCodes.notAllowed);
    expect(err).toContain('needs the scope read');
  });

  it('stays signed in: tokens are renewed, by two command lines at once as well', async () => {
    await login('bob');
    const first = kept()!;

    expect((await typed('status')).code).toBe(exitCodes.done);
    const second = kept()!;
    expect(second.token).not.toBe(first.token);
    expect(second.renewal!.refreshToken).not.toBe(first.renewal!.refreshToken);
    const together = await Promise.all([typed('status'), typed('zone list'), typed('whoami')]);
    expect(together.map(({ code }) => code)).toEqual([exitCodes.done, exitCodes.done, exitCodes.done]);
  });

  it('signs in again once the provider gives no more', async () => {
    await login('bob');
    provider.endSignIns('bob');

    const { code, err } = await typed('status');
    expect(code).toBe(exitCodes.notAllowed);
    expect(err).toMatch(/refused the sign-in: invalid_grant.*Sign in again: login\n$/);
  });

  it('and out again is nobody, to us and to the provider', async () => {
    await login('ada');
    const { renewal } = kept()!;
    const { code, err } = await typed('logout');

    expect({ code, err }).toEqual({ code: exitCodes.done, err: `signed out of ${host.url}\n` });
    expect((await typed('status')).code).toBe(exitCodes.notAllowed);
    const again = await fetch(`${provider.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'muster-cli', refresh_token: renewal!.refreshToken }),
    });
    expect({ status: again.status, body: await again.json() }).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('a sign-in link', () => {
  it('that whoever runs the host makes signs somebody else in, once', async () => {
    const made = await typed('login --link', undefined, { MUSTER_HOME: host.home });
    const link = made.out.trim();
    expect({ code: made.code, link }).toEqual({ code: exitCodes.done, link: expect.stringMatching(/^http:\S+\/sign-in#msl_/) });
    expect((await typed('status')).code).toBe(exitCodes.notAllowed);

    expect((await typed(`login ${link}`)).code).toBe(exitCodes.done);
    expect((await typed('status')).code).toBe(exitCodes.done);
    const again = await typed(`login ${link}`);
    expect({ code: again.code, err: again.err }).toEqual({
      code: exitCodes.notAllowed,
      err: expect.stringMatching(/^muster: the link is not valid.*Ask for another link\n$/),
    });
  });

  it('lets in until logout, which ends the session for whoever has its token', async () => {
    const operator = { MUSTER_HOME: host.home, XDG_CONFIG_HOME: join(config, 'operator') };
    const link = (await typed('login --link', undefined, operator)).out.trim();
    await typed(`login ${link}`);
    const { token } = kept()!;
    expect((await typed('status', undefined, { MUSTER_TOKEN: token })).code).toBe(exitCodes.done);

    const { code, err } = await typed('logout');
    expect({ code, err }).toEqual({ code: exitCodes.done, err: `signed out of ${host.url}\n` });
    expect((await typed('status', undefined, { MUSTER_TOKEN: token })).code).toBe(exitCodes.notAllowed);
  });

  it('that is used up is refused, and the audit that tells of it is whole', async () => {
    const operator = { MUSTER_HOME: host.home, XDG_CONFIG_HOME: join(config, 'operator') };
    const link = (await typed('login --link', undefined, operator)).out.trim();
    await typed(`login ${link}`);
    await typed(`login ${link}`);

    await expect
      .poll(async () => (await typed('audit list', undefined, operator)).out, { timeout: 10_000 })
      .toMatch(/ tried +POST \S+sign-in /);
    const { code, err } = await typed('audit verify', undefined, operator);
    expect({ code, err }).toEqual({ code: exitCodes.done, err: expect.stringMatching(/^\d+ entries in \d+ chains?: unchanged\n$/) });
  });

  it('is what login makes where no provider is named', async () => {
    const alone = await aHost();
    const { code, out } = await typed('login', undefined, { MUSTER_ENDPOINT: alone.url, MUSTER_HOME: alone.home });
    await alone.stop();

    expect({ code, out }).toEqual({ code: exitCodes.done, out: expect.stringMatching(/^http:\S+\/sign-in#msl_\S+\n$/) });
  });
});
