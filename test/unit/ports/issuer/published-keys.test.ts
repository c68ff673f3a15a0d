import { describe, expect, it } from 'vitest';
import { Later } from '../../../../lib/core/errors.ts';
import { minuteMs, secondMs } from '../../../../lib/core/time.ts';
import { InvalidToken } from '../../../../lib/ports/issuer/issuer.ts';
import { oidcIssuer } from '../../../../lib/ports/issuer/oidc.ts';
import { address, aSigningKey, claims, Published, settings, signed } from './an-issuer.ts';

const first = await aSigningKey('first');
const second = await aSigningKey('second');
const forged = await aSigningKey('forged');

/** An issuer with its world, and a token that never expires while a test steps its clock. */
function aWorld() {
  const published = new Published([first.jwk]);
  const issuer = oidcIssuer({ settings: settings(), now: published.now, reading: published.reading });
  const verify = async (by: typeof first): Promise<string> =>
    issuer.verify(await signed(by, claims({ exp: published.now() / 1000 + 300 }))).then(
      ({ subject }) => subject,
      (error: unknown) => {
        if (error instanceof InvalidToken || error instanceof Later) return error.name;
        throw error;
      },
    );
  return { published, verify, issuer };
}

describe('the keys of an issuer', () => {
  it('are read once for many calls at once', async () => {
    const { published, verify } = aWorld();

    expect(await Promise.all([verify(first), verify(first), verify(first)])).toEqual(['u-17', 'u-17', 'u-17']);
    await verify(first);
    expect(published.reads).toEqual([`${address}/.well-known/openid-configuration`, `${address}/keys`]);
  });

  it('are read again when a token names a new one, and a forged name makes nobody read more than twice a minute', async () => {
    const { published, verify } = aWorld();
    await verify(first);
    published.published = [first.jwk, second.jwk];

    expect(await verify(second)).toBe('InvalidToken');
    published.step(30 * secondMs);
    expect(await verify(second)).toBe('u-17');
    const reads = published.reads.length;
    for (let i = 0; i < 100; i++) expect(await verify(forged)).toBe('InvalidToken');
    expect(published.reads.length).toBe(reads);
  });

  it('are no longer taken ten minutes after they were withdrawn', async () => {
    const { published, verify } = aWorld();
    await verify(first);
    published.published = [second.jwk];

    published.step(10 * minuteMs - 1);
    expect(await verify(first)).toBe('u-17');
    published.step(1);
    expect(await verify(first)).toBe('InvalidToken');
    expect(await verify(second)).toBe('u-17');
  });

  it('stay in use while the issuer does not answer, and are read as soon as it does', async () => {
    const { published, verify } = aWorld();
    await verify(first);
    published.away = true;
    published.step(11 * minuteMs);

    expect(await verify(first)).toBe('u-17');
    const reads = published.reads.length;
    expect(await verify(first)).toBe('u-17');
    expect(published.reads.length).toBe(reads);
    published.away = false;
    published.published = [second.jwk];
    published.step(2 * secondMs);
    expect(await verify(second)).toBe('u-17');
  });

  it('that were never read are a transient failure, asked for again two seconds later', async () => {
    const { published, verify } = aWorld();
    published.away = true;

    expect(await verify(first)).toBe('Later');
    expect(await verify(first)).toBe('Later');
    expect(published.reads.length).toBe(1);
    published.away = false;
    published.step(2 * secondMs);
    expect(await verify(first)).toBe('u-17');
  });

  it('are a transient failure, too, when what is published is not what an issuer publishes', async () => {
    const discovery = `${address}/.well-known/openid-configuration`;
    const at = (url: string, text: string, status = 200) => ({ url, text, status });
    for (const { url, text, status } of [
      at(discovery, '<html>', 200),
      at(discovery, '{}', 200),
      at(discovery, JSON.stringify({ issuer: `${address}/`, jwks_uri: `${address}/keys` })),
      at(discovery, JSON.stringify({ issuer: address, jwks_uri: 'http://login.example.test/keys' })),
      at(discovery, JSON.stringify({ issuer: address, jwks_uri: 'keys' })),
      at(discovery, '{}', 500),
      at(`${address}/keys`, '{"keys":7}'),
      at(`${address}/keys`, '[]'),
      at(`${address}/keys`, '{"keys":[]}', 404),
      at(`${address}/keys`, `{"keys":[], "more":"${'x'.repeat(300_000)}"}`),
    ]) {
      const { published, verify } = aWorld();
      published.instead.set(url, { status, text });
      expect(await verify(first), text.slice(0, 80)).toBe('Later');
    }
  });
});
