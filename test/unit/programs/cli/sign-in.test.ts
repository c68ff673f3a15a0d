import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { folderAt, holdFolder } from '../../../../lib/machine/folder.ts';
import { bearerFor } from '../../../../programs/cli/bearer.ts';
import { exitCodes } from '../../../../programs/cli/exit-codes.ts';
import { type SignedIn, tokenStore } from '../../../../programs/cli/sign-in/tokens.ts';
import { now, ran } from './a-terminal.ts';
import { type Answers, FakeDeployment } from './fake-deployment.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const kept = (): string => join(home, 'muster', 'tokens.json');
const world = (env = {}) => ({
  env: { XDG_CONFIG_HOME: home, ...env },
  readOwn: () => undefined,
  now: () => now,
  sleep: async () => undefined,
});
const keep = async (endpoint: string, signedIn: SignedIn): Promise<void> =>
  void (await tokenStore(world())!.change(endpoint, async () => signedIn));
const anHour: SignedIn = { token: 'mst_kept', expiresAt: now + 3_600_000 };
const secret = 'msl_0123456789ab_0123456789012345678901234567890123456789012_abcdef';

/** Runs a line against a deployment that answers so, with the sign-ins of this test. */
async function against(answers: Answers, line: (url: string) => string, before?: SignedIn, given: Parameters<typeof ran>[1] = {}) {
  const fake = await FakeDeployment.start(answers);
  if (before) await keep(fake.url, before);
  const result = await ran(line(fake.url), { env: { MUSTER_ENDPOINT: fake.url, XDG_CONFIG_HOME: home }, ...given });
  await fake.stop();
  return { ...result, url: fake.url, received: fake.received };
}

describe('sign-ins', () => {
  it('are kept by deployment, for this user alone', async () => {
    await keep('https://one.example.test', anHour);
    await keep('https://two.example.test/', { ...anHour, token: 'mst_two' });

    expect(statSync(kept()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'muster')).mode & 0o777).toBe(0o700);
    expect(await bearerFor('https://one.example.test/', world())).toBe('mst_kept');
    expect(await bearerFor('https://two.example.test', world())).toBe('mst_two');
    expect(await bearerFor('https://three.example.test', world())).toBeUndefined();
    expect(await bearerFor('https://one.example.test:8443', world())).toBeUndefined();
  });

  it('are in .config of the home where no other place is named', async () => {
    const env = { HOME: home };
    await tokenStore({ ...world(), env })!.change('https://one.example.test', async () => anHour);

    expect(await bearerFor('https://one.example.test', { ...world(), env })).toBe('mst_kept');
    expect(JSON.parse(readFileSync(join(home, '.config', 'muster', 'tokens.json'), 'utf8'))).toEqual({
      'https://one.example.test': anHour,
    });
    expect(tokenStore({ ...world(), env: {} })).toBeUndefined();
  });

  it.each([0o640, 0o604])('are not used when their file has mode %o', async (mode) => {
    await keep('https://one.example.test', anHour);
    chmodSync(kept(), mode);

    await expect(bearerFor('https://one.example.test', world())).rejects.toMatchObject({
      exitCode: exitCodes.notAllowed,
      message: `other users can read the tokens in ${kept()}`,
    });
  });

  it('are not used when others can write to their file', async () => {
    await keep('https://one.example.test', anHour);
    chmodSync(kept(), 0o660);

    await expect(bearerFor('https://one.example.test', world())).rejects.toThrow(`${kept()} can be written to by others`);
  });

  it('are not guessed at when the file holds something else', async () => {
    mkdirSync(join(home, 'muster'));
    for (const text of ['', '[]', '{"https://one.example.test":{"token":""}}', '{"https://one.exa']) {
      writeFileSync(kept(), text, { mode: 0o600 });
      await expect(bearerFor('https://one.example.test', world()), text).rejects.toMatchObject({ exitCode: exitCodes.failed });
    }
  });

  it('that have ended say so, and what to do', async () => {
    const { code, err } = await against({}, () => 'status', { ...anHour, expiresAt: now });

    expect(code).toBe(exitCodes.notAllowed);
    expect(err).toMatch(
      /^muster: the sign-in at http:\/\/127\.0\.0\.1:\d+ has expired\. Sign in again with login, or remove it with logout\n$/,
    );
  });

  it('give way to MUSTER_TOKEN', async () => {
    await keep('https://one.example.test', anHour);
    expect(await bearerFor('https://one.example.test', world({ MUSTER_TOKEN: 'mak_given' }))).toBe('mak_given');
  });

  it('wait for another command line that changes them, and not for ever', async () => {
    const release = holdFolder(folderAt(join(home, 'muster')))!;
    let at = now;
    const waiting = {
      ...world(),
      now: () => at,
      sleep: async (ms: number) => {
        at += ms;
      },
    };
    await expect(tokenStore(waiting)!.change('https://one.example.test', async () => anHour)).rejects.toMatchObject({
      exitCode: exitCodes.tryAgain,
    });
    let slept = 0;
    const soon = {
      ...world(),
      sleep: async () => {
        slept += 1;
        if (slept === 3) release();
      },
    };
    await tokenStore(soon)!.change('https://one.example.test', async () => anHour);
    expect(slept).toBe(3);
    expect(await bearerFor('https://one.example.test', world())).toBe('mst_kept');
  });
});

describe('a token', () => {
  const away = 'http://muster.example.test';

  it('is not sent by plain http to another machine, unless the person insists', async () => {
    const refused = { exitCode: exitCodes.usage, message: expect.stringContaining('does not use https') };
    await keep(away, anHour);
    await expect(bearerFor(away, world())).rejects.toMatchObject(refused);
    await expect(bearerFor(away, world({ MUSTER_TOKEN: 'mak_given' }))).rejects.toMatchObject(refused);
    await expect(bearerFor('http://127.0.0.1.example.test', world({ MUSTER_TOKEN: 'mak_given' }))).rejects.toMatchObject(refused);
    expect(await bearerFor(away, world(), true)).toBe('mst_kept');
    expect(await bearerFor('http://127.0.0.1:8080', world({ MUSTER_TOKEN: 'mak_given' }))).toBe('mak_given');
  });

  it('of a link is not sent so, either', async () => {
    const { code, err } = await ran(`login ${away}/sign-in#${secret}`, { env: { XDG_CONFIG_HOME: home } });

    expect(code).toBe(exitCodes.usage);
    expect(err).toContain(`${away} does not use https`);
    expect(err).not.toContain(secret);
  });
});

describe('login', () => {
  it.each([
    'file:///tmp/x',
    'data:text/html,x',
    'javascript:alert',
    'nowhere',
    'http://300.1.1.1',
    'https://[::1',
    'mailto:a@b',
    'blob:x',
    'ftp://h/',
  ])('at %s ends with one line, by a link as well as by --endpoint', async (address) => {
    for (const line of [`login ${address}/#${secret}`, `--endpoint ${address} login`, `--endpoint ${address} status`]) {
      const { code, out, err } = await ran(line);
      expect([line, code, out]).toEqual([line, exitCodes.usage, '']);
      expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
      expect(err).not.toMatch(/\n\s+at /);
    }
  });

  const signIn = () => ({ token: 'mst_new', expires: '2026-05-02T00:00:00.000Z', name: 'ada' });

  it('by a link keeps the session of the deployment that the link names, and shows no token', async () => {
    const { code, out, err, url, received } = await against(
      { signIn },
      (at) => `--endpoint https://other.example.test login ${at}/sign-in#${secret}`,
    );

    expect({ code, out }).toEqual({ code: exitCodes.done, out: '' });
    expect(err).toBe(
      `signed in as ada at ${url}, until 2026-05-02T00:00:00Z (in 12h)\nto send commands there: export MUSTER_ENDPOINT=${url}\n`,
    );
    expect(received).toMatchObject([{ route: 'signIn', received: { body: { secret } } }]);
    expect(received[0]!.received.headers.authorization).toBeUndefined();
    expect(await bearerFor(url, world())).toBe('mst_new');
  });

  it("by a link's secret alone is at the deployment that commands go to", async () => {
    const { code, url } = await against({ signIn }, () => `login ${secret}`);

    expect(code).toBe(exitCodes.done);
    expect(await bearerFor(url, world())).toBe('mst_new');
  });

  it('by a link that is on no command line: asked for, or read from the standard input', async () => {
    const asking = await against({ signIn }, () => 'login -', undefined, { ask: async () => ` ${secret}\n` });
    expect([asking.code, await bearerFor(asking.url, world())]).toEqual([exitCodes.done, 'mst_new']);
    const reading = await against({ signIn }, () => 'login -', undefined, { read: () => `${secret}\n` });
    expect([reading.code, await bearerFor(reading.url, world())]).toEqual([exitCodes.done, 'mst_new']);
    for (const text of ['-', '', 'msl_x']) expect((await ran('login -', { read: () => text })).code, text).toBe(exitCodes.usage);
  });

  it('by a link that is used up says so, and keeps nothing', async () => {
    const used = () => {
      throw new Refusal('bearer-invalid', 'the link is not valid: it is wrong, used or older than 10 min');
    };
    const { code, err, url } = await against({ signIn: used }, () => `login ${secret}`);

    expect({ code, err }).toEqual({
      code: exitCodes.notAllowed,
      err: 'muster: the link is not valid: it is wrong, used or older than 10 min. Ask for another link\n',
    });
    expect(await bearerFor(url, world())).toBeUndefined();
  });

  it('refuses what is no link', async () => {
    for (const text of [
      'msl_x',
      'https://muster.example.test/sign-in',
      'mst_0123456789ab_0123456789012345678901234567890123456789012_abcdef',
    ])
      expect((await ran(`login ${text}`)).code).toBe(exitCodes.usage);
  });

  it('makes a link where people sign in by one, with what this user may do already', async () => {
    const createSignInLink = () => ({ link: `https://muster.example.test/sign-in#${secret}`, expires: '2026-05-01T12:10:00.000Z' });
    const { code, out, err, received } = await against(
      { waysToSignIn: () => ({ methods: ['link'] }), createSignInLink },
      () => 'login',
      anHour,
    );

    expect({ code, out }).toEqual({ code: exitCodes.done, out: `https://muster.example.test/sign-in#${secret}\n` });
    expect(err).toContain('once, until 2026-05-01T12:10:00Z (in 10m)');
    expect(received.map(({ route, received: { headers } }) => [route, headers.authorization])).toEqual([
      ['waysToSignIn', undefined],
      ['createSignInLink', 'Bearer mst_kept'],
    ]);
  });

  it('says whom to ask where this user may make no link', async () => {
    const createSignInLink = () => {
      throw new Refusal('sign-in-needed', 'this call needs a bearer token');
    };
    const { code, err } = await against({ waysToSignIn: () => ({ methods: ['link'] }), createSignInLink }, () => 'login');

    expect(code).toBe(exitCodes.notAllowed);
    expect(err).toMatch(/people sign in at http:\S+ by a link: .*Ask an administrator to make one/);
  });

  it('does not follow a deployment to an issuer that could be anybody', async () => {
    const ways = { methods: ['oidc'], issuer: 'http://login.example.test', clientId: 'cli', scopes: 'openid' };
    const { code, err } = await against({ waysToSignIn: () => ways }, () => 'login --no-browser');

    expect({ code, err }).toEqual({
      code: exitCodes.notAllowed,
      err: 'muster: the issuer http://login.example.test does not use https\n',
    });
  });
});

/** What a deployment answers to whoever signs out. */
const ended = { id: '0123456789ab', kind: 'session', status: 'revoked', name: 'ada', rights: { read: 'all' }, createdBy: 'operator' };
const signOut = () => ({ ...ended, createdAt: '2026-05-01T11:00:00.000Z', expiresAt: '2026-05-01T13:00:00.000Z' });

describe('logout', () => {
  it('forgets the sign-in at one deployment and keeps the others', async () => {
    await keep('https://one.example.test', anHour);
    const { code, err, url } = await against({ signOut }, () => 'logout', anHour);

    expect({ code, err }).toEqual({ code: exitCodes.done, err: `signed out of ${url}\n` });
    expect(await bearerFor(url, world())).toBeUndefined();
    expect(await bearerFor('https://one.example.test', world())).toBe('mst_kept');
    expect((await ran('logout', { env: { MUSTER_ENDPOINT: url, XDG_CONFIG_HOME: home } })).err).toBe(`you were not signed in at ${url}\n`);
  });
});

describe('logout from a session', () => {
  const routes = (received: FakeDeployment['received']) =>
    received.map(({ route, received: { headers } }) => [route, headers.authorization]);
  const refusing = (type: 'bearer-invalid' | 'busy') => () => {
    throw new Refusal(type, 'no');
  };

  it('ends it at the deployment, by its own token', async () => {
    const { received } = await against({ signOut }, () => 'logout', anHour);
    expect(routes(received)).toEqual([['signOut', 'Bearer mst_kept']]);
  });

  it('that was ended there before says nothing of it', async () => {
    const { code, err, url } = await against({ signOut: refusing('bearer-invalid') }, () => 'logout', anHour);
    expect({ code, err }).toEqual({ code: exitCodes.done, err: `signed out of ${url}\n` });
  });

  it('forgets it too when the deployment is busy, away, or reached by plain http, and says what stays', async () => {
    const stays =
      /^signed out of \S+\nthe deployment could not be notified, and the session there ends by itself, 2026-05-01T13:00:00Z \(in 60m\): .+\n$/;
    const busy = await against({ signOut: refusing('busy') }, () => 'logout', anHour);
    expect({ code: busy.code, err: busy.err }).toEqual({ code: exitCodes.done, err: expect.stringMatching(stays) });
    const fake = await FakeDeployment.start({});
    await fake.stop();
    for (const away of [fake.url, 'http://muster.example.test']) {
      await keep(away, anHour);
      const { code, err } = await ran('logout', { env: { MUSTER_ENDPOINT: away, XDG_CONFIG_HOME: home } });
      expect({ code, err }).toEqual({ code: exitCodes.done, err: expect.stringMatching(stays) });
      expect(tokenStore(world())!.read(away)).toBeUndefined();
    }
  });

  it('that has ended, and a token of an issuer, are only forgotten', async () => {
    for (const before of [
      { ...anHour, expiresAt: now },
      { ...anHour, token: 'header.payload.signature' },
    ]) {
      const { code, received, url } = await against({}, () => 'logout', before);
      expect({ code, received }).toEqual({ code: exitCodes.done, received: [] });
      expect(tokenStore(world())!.read(url)).toBeUndefined();
    }
  });
});

describe('whoami', () => {
  it('says what may be done where', async () => {
    const whoAmI = () => ({ who: 'admin:u-17', name: 'ada', rights: { read: 'all', operate: ['acme', 'beta'], admin: ['acme', 'beta'] } });
    const { out } = await against({ whoAmI }, () => 'whoami', anHour);

    expect(out).toBe(
      'ada\n  changes are recorded as  admin:u-17\n  may                      read everywhere; operate, admin in acme, beta\n',
    );
  });
});

describe('a refusal', () => {
  it.each([
    ['sign-in-needed', 'Sign in: login. Beside an embedded host, run the command in its folder, or set MUSTER_HOME to its state folder'],
    ['bearer-invalid', 'Sign out with logout and sign in again with login, or set another MUSTER_TOKEN'],
    ['insufficient-scope', 'Ask an administrator for the scope this command needs'],
  ] as const)('%s exits with 77 and says: %s', async (type, advice) => {
    const status = () => {
      throw new Refusal(type, 'no');
    };
    const { code, err } = await against({ status }, () => 'status', anHour);
    expect({ code, err }).toEqual({ code: exitCodes.notAllowed, err: `muster: no. ${advice}\n` });
  });
});

describe('key', () => {
  const key = {
    id: '0123456789ab',
    kind: 'key',
    status: 'valid',
    name: 'ci',
    rights: { operate: ['acme'] },
    createdBy: 'admin:u-17',
    createdAt: '2026-05-01T12:00:00.000Z',
    expiresAt: '2026-05-31T12:00:00.000Z',
  };

  it('create shows the secret alone, and the rest beside it', async () => {
    const createKey = () => ({ secret: 'mak_made', key });
    const { out, err, received } = await against(
      { createKey },
      () => 'key create ci --scope operate --scope read --zone acme --days 30',
      anHour,
    );

    expect({ out, err }).toEqual({
      out: 'mak_made\n',
      err: 'key 0123456789ab, ci: operate in acme, until 2026-05-31T12:00:00Z (in 30d)\n',
    });
    expect(received[0]!.received.body).toEqual({ name: 'ci', scopes: ['operate', 'read'], zones: ['acme'], expiresInDays: 30 });
  });

  it('create wants a scope that there is', async () => {
    expect((await ran('key create ci')).code).toBe(exitCodes.usage);
    expect((await ran('key create ci --scope root')).err).toContain(
      'It must be one of read, number, edit, operate, execute, admin, security, report.',
    );
  });

  it('list shows what keys may do and when they were used', async () => {
    const listKeys = () => ({ items: [{ ...key, lastUsedAt: '2026-05-01T11:00:00.000Z' }] });
    const { out } = await against({ listKeys }, () => 'key list', anHour);
    expect(out).toBe(
      'ID            NAME  KIND  STATUS  MAY              USED  EXPIRES                        MADE BY\n' +
        '0123456789ab  ci    key   valid   operate in acme   60m  2026-05-31T12:00:00Z (in 30d)  admin:u-17\n',
    );
  });

  it('list names the keys that lost the start of commands, and no others', async () => {
    const withRights = (id: string, rights: object, more = {}) => ({ ...key, id, rights, ...more });
    const items = [
      withRights('0123456789aa', { operate: 'all' }),
      withRights('0123456789ab', { admin: ['acme'] }),
      withRights('0123456789ac', { operate: ['acme'], execute: ['acme'] }),
      withRights('0123456789ad', { read: 'all', security: 'all' }),
      withRights('0123456789ae', { operate: 'all' }, { status: 'revoked' }),
    ];
    const { err } = await against({ listKeys: () => ({ items }) }, () => 'key list', anHour);
    expect(err).toBe(
      '0123456789aa, 0123456789ab: operate and admin do not start services that take a command; that needs execute (key create --scope execute)\n',
    );
  });

  it('revoke says that it is', async () => {
    const revokeKey = () => ({ ...key, status: 'revoked' });
    const { out, received } = await against({ revokeKey }, () => 'key revoke 0123456789ab', anHour);
    expect(out).toBe('0123456789ab, ci, is revoked\n');
    expect(received[0]!.received.params).toEqual({ id: '0123456789ab' });
    expect((await ran('key revoke ci')).code).toBe(exitCodes.usage);
  });

  describe('revoke --with-made', () => {
    const made = [{ kind: 'join-token', id: '8c2v5n1xq0rz', name: 'ssu[1-40].acme.org', createdAt: '2026-05-01T11:00:00.000Z' }];
    const revokeKey = () => ({ ...key, status: 'revoked', made });
    const orders = (received: readonly { received: { body: unknown } }[]) => received.map((one) => one.received.body);

    it('shows what would end, and asks', async () => {
      const { code, err, received } = await against({ revokeKey }, () => 'key revoke 0123456789ab --with-made', anHour);
      expect([code, err]).toEqual([exitCodes.usage, expect.stringMatching(/join-token +8c2v5n1xq0rz +ssu\[1-40\].acme.org +60m/)]);
      expect(orders(received)).toEqual([{ withMade: true, dryRun: true }]);
    });

    it('ends it with --yes, and nothing with --dry-run', async () => {
      const sure = await against({ revokeKey }, () => 'key revoke 0123456789ab --with-made --yes', anHour);
      expect(orders(sure.received)).toEqual([
        { withMade: true, dryRun: true },
        { withMade: true, dryRun: false },
      ]);
      const dry = await against({ revokeKey }, () => 'key revoke 0123456789ab --dry-run', anHour);
      expect([orders(dry.received), dry.out]).toEqual([[{ withMade: true, dryRun: true }], expect.stringContaining('8c2v5n1xq0rz')]);
    });
  });

  it('subject lock, unlock and list say who is refused', async () => {
    const subject = { subject: 'u-17', status: 'locked', lockedAt: '2026-05-01T11:00:00.000Z', lockedBy: 'operator' };
    const calls = {
      lockSubject: () => ({ subject, made: [] }),
      unlockSubject: () => ({ subject: 'u-17', status: 'unlocked' }),
      listSubjects: () => ({ items: [subject] }),
    };
    expect((await against(calls, () => 'subject lock u-17', anHour)).out).toBe('u-17 is locked\n');
    expect((await against(calls, () => 'subject lock u-17 --with-made --yes', anHour)).out).toBe('u-17 is locked\n');
    expect((await against(calls, () => 'subject unlock u-17', anHour)).out).toBe('u-17 is unlocked\n');
    expect((await against(calls, () => 'subject list', anHour)).out).toMatch(/u-17 +locked +60m +operator/);
  });
});
