import { beforeEach, describe, expect, it } from 'vitest';
import { dayMs } from '../../../../lib/core/time.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../../lib/ports/table/table.ts';
import { Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

let world: World;
beforeEach(async () => {
  world = await stepped();
});
type Made = { readonly secret: string; readonly token: { readonly id: string; readonly used: number; readonly status: string } };
const aToken = async (body: object = {}): Promise<Made> => (await world.call('POST', '/api/v1/onboarding-tokens', body)).body as Made;
const tokens = async () => ((await world.call('GET', '/api/v1/onboarding-tokens')).body as { items: Made['token'][] }).items;
const systemOf = async ({ fp }: Daemon) =>
  (await world.call('GET', `/api/v1/systems/${fp}`)).body as {
    status: string;
    because: string;
    tokenRefused?: string;
    tags: string[];
    groups: string[];
    zone?: string;
  };
const machines = (count: number) => Array.from({ length: count }, (_, n) => new Daemon(world, `web${n}.acme.org`));

describe('a machine that knocks with an onboarding token', () => {
  it('is accepted at once, into its zone, with its tags and groups, and has a token from its first answer on', async () => {
    const { secret, token } = await aToken({ tags: ['web'], groups: ['dmz'], uses: 5 });
    const [web] = machines(1);

    expect((await web!.knock({ token: secret })).body).toBe('2');

    expect(web!.token).toBeTypeOf('string');
    expect(await systemOf(web!)).toMatchObject({ status: 'orphan', zone: 'default', tags: ['web'], groups: ['dmz'] });
    expect((await systemOf(web!)).because).toBe(`accepted into zone default by the onboarding token ${token.id}`);
    expect(await tokens()).toEqual([{ ...token, used: 1 }]);
    await world.step(0);
    expect(world.bus.published.map(({ type }) => type)).toEqual(['client.seen', 'client.accepted']);
  });

  it('is counted once, however often it brings it again', async () => {
    const { secret } = await aToken({ uses: 2 });
    const [one, other] = machines(2);
    for (let n = 0; n < 3; n++) await one!.knock({ token: secret });
    expect((await tokens())[0]).toMatchObject({ used: 1, status: 'valid' });

    expect((await other!.knock({ token: secret })).body).toBe('2');
    expect((await tokens())[0]).toMatchObject({ used: 2, status: 'used' });
  });

  it('is accepted out of the pool, too, where it waited without one', async () => {
    const [web] = machines(1);
    await web!.knock();
    expect((await web!.knock({ token: 'mjt_nonsense' })).body).toBe('0');
    expect(await systemOf(web!)).toMatchObject({ tokenRefused: 'it is not an onboarding token' });
    expect((await web!.knock({ token: (await aToken()).secret })).body).toBe('2');
    expect(await systemOf(web!)).not.toHaveProperty('tokenRefused');
  });

  it('is one of exactly as many as it is for when more race for it', async () => {
    const { secret } = await aToken({ uses: 3 });
    const racing = machines(8);

    const answers = await Promise.all(racing.map((daemon) => daemon.knock({ token: secret })));

    // Whoever met too many of the others is told to come back; nobody is accepted beyond the number.
    for (const [n, { status }] of answers.entries()) if (status === 503) answers[n] = await racing[n]!.knock({ token: secret });
    expect(answers.map(({ body }) => body).sort()).toEqual(['0', '0', '0', '0', '0', '2', '2', '2']);
    expect((await tokens())[0]).toMatchObject({ used: 3, status: 'used' });
  });

  it('waits in the pool when the token is not taken, and only its administrator is told why', async () => {
    const used = await aToken({ uses: 1 });
    await new Daemon(world, 'first.acme.org').knock({ token: used.secret });
    const revoked = await aToken();
    await world.call('POST', `/api/v1/onboarding-tokens/${revoked.token.id}/revoke`, {});
    const elsewhere = await aToken({ cidr: '10.0.0.0/8' });
    const good = await aToken();
    const forged = mintSecret('mot', (n) => new Uint8Array(n).fill(9)).text;
    const wrong = [
      [used.secret, 'it has accepted 1 already'],
      [revoked.secret, 'it is revoked'],
      [elsewhere.secret, 'it is for 10.0.0.0/8, not 127.0.0.1'],
      [forged, 'no token has this id'],
      [good.secret.replace(/^mot_\w{12}/, `mot_${used.token.id}`), 'it was mistyped or cut short'],
      ['mjt_nonsense', 'it is not an onboarding token'],
    ] as const;
    const answers: unknown[] = [];
    for (const [n, [token, why]] of wrong.entries()) {
      const daemon = new Daemon(world, `wrong${n}.acme.org`);
      const { status, headers, body } = await daemon.knock({ token });
      answers.push([status, Object.keys(headers).sort(), body]);
      expect(await systemOf(daemon)).toMatchObject({
        because: `an unknown machine knocked; it waits in the onboarding pool; its onboarding token was refused: ${why}`,
        tokenRefused: why,
      });
    }
    const none = new Daemon(world, 'without.acme.org');
    const without = await none.knock();
    expect(await systemOf(none)).not.toHaveProperty('tokenRefused');
    await world.step(0);
    const seen = world.bus.published.flatMap(({ type, data }) => (type === 'client.seen' ? [data] : []));
    expect(seen.map((data) => (data as { tokenRefused?: string }).tokenRefused)).toEqual([
      undefined,
      ...wrong.map(([, why]) => why),
      undefined,
    ]);

    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify([without.status, Object.keys(without.headers).sort(), without.body])]),
    );
  });

  it('is told nothing else after the token has expired', async () => {
    const { secret } = await aToken({ expiresAt: new Date(world.now() + dayMs).toISOString() });
    world.sleep(dayMs);
    const [web] = machines(1);
    expect((await web!.knock({ token: secret })).body).toBe('0');
    expect((await systemOf(web!)).because).toContain('it is expired');
  });

  it('is not let in again by one when it was banned', async () => {
    const [web] = machines(1);
    await web!.knock();
    await world.call('POST', '/api/v1/systems/ban', { systems: [web!.fp] });
    expect((await web!.knock({ token: (await aToken()).secret })).body).toBe('3');
    expect((await tokens())[0]).toMatchObject({ used: 0 });
  });
});

describe('an onboarding token', () => {
  it('is kept as a hash, and shown once', async () => {
    const { secret, token } = await aToken();
    const stored = JSON.stringify([...world.table.rows.values()].map(({ body }) => body));
    expect(stored).not.toContain(secret.split('_').slice(2).join('_'));
    expect(JSON.stringify(await tokens())).not.toContain(secret.split('_').slice(2).join('_'));
    expect(world.table.rows.get(nameOf(keyOf({ noun: 'onboarding-token', id: token.id })))).toBeDefined();
  });

  it('ends within a year, after now, and is for a zone that there is', async () => {
    const at = (ms: number) => new Date(world.now() + ms).toISOString();
    for (const [body, status] of [
      [{ expiresAt: at(366 * dayMs) }, 422],
      [{ expiresAt: at(-1) }, 422],
      [{ zone: 'nowhere' }, 404],
      [{ cidr: '10.0.0.0/33' }, 422],
      [{ uses: 0 }, 422],
    ] as const)
      expect((await world.call('POST', '/api/v1/onboarding-tokens', body)).status).toBe(status);
  });

  it('that there is not cannot be revoked', async () => {
    expect(await world.call('POST', '/api/v1/onboarding-tokens/0123456789ab/revoke', {})).toMatchObject({ status: 404 });
  });
});
