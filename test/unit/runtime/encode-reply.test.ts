import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesEtag } from '../../../lib/api/etag.ts';
import { acceptedEncoding } from '../../../lib/runtime/accepted-encoding.ts';
import { encodedBytesMin, encodedReply } from '../../../lib/runtime/encode-reply.ts';
import { type Reply, sentReply } from '../../../lib/runtime/reply.ts';

const long = JSON.stringify({ items: Array.from({ length: 200 }, (_, n) => ({ node: `node${n}.acme.org`, status: 'up' })) });
const answered = (accepts: string | undefined, more: Partial<Reply> = {}) =>
  encodedReply(sentReply({ status: 200, headers: { etag: '"7"' }, body: long, mayBeEncoded: true, ...more }, 'call-1'), accepts);

describe('an answer', () => {
  it('is encoded as its caller accepts, and says what else it depends on', async () => {
    const [br, gz, plain] = [await answered('gzip, deflate, br'), await answered('gzip, deflate'), await answered(undefined)];
    expect([br, gz, plain].map(({ headers }) => [headers['content-encoding'], headers['vary']])).toEqual([
      ['br', 'accept-encoding'],
      ['gzip', 'accept-encoding'],
      [undefined, 'accept-encoding'],
    ]);
    expect([String(brotliDecompressSync(br.body)), String(gunzipSync(gz.body)), plain.body]).toEqual([long, long, long]);
    for (const { body } of [br, gz]) expect(body.length).toBeLessThan(long.length / 4);
  });

  it('has a weak ETag once it is encoded, by which its version is still known', async () => {
    const { headers } = await answered('br');
    expect([headers['etag'], namesEtag(headers['etag'], '"7"')]).toEqual(['W/"7"', true]);
    expect((await answered('br', { headers: {} })).headers).not.toHaveProperty('etag');
  });

  it('that fits into a packet, is of bytes, or has no body is sent as it is', async () => {
    const body = 'x'.repeat(encodedBytesMin - 1);
    expect(await answered('br', { body })).toMatchObject({ body, headers: { vary: 'accept-encoding' } });
    expect((await answered('br', { body: `${body}x` })).headers['content-encoding']).toBe('br');
    const bytes = Buffer.alloc(10_000);
    expect((await answered('br', { bytes })).body).toBe(bytes);
    expect(await answered('br', { status: 304 })).toMatchObject({ body: '', headers: { etag: '"7"', vary: 'accept-encoding' } });
  });

  it('whose handler does not let it be encoded is sent as it is, whoever asks', async () => {
    const { body, headers } = await answered('br', { mayBeEncoded: false });
    expect([body, headers['content-encoding'], headers['etag']]).toEqual([long, undefined, '"7"']);
  });
});

describe('the encoding', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['GZIP;q=0.5, BR;q=0.1', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['br;q=0.000, gzip;q=0', undefined],
    ['identity', undefined],
    ['*', undefined],
    ['deflate, zstd', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('that is accepted by %s is %s', (header, encoding) => expect(acceptedEncoding(header)).toBe(encoding));

  it('is one that there is, or none, whatever the header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(['br', 'gzip', undefined]).toContain(acceptedEncoding(header));
      }),
    );
  });
});
