import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import page from '../../../functions/page.ts';
import { fileAt } from '../../../lib/page/path.ts';
import { memoryPages } from '../../../lib/ports/page/memory.ts';
import type { RouteFunction } from '../../../lib/runtime/function.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell } from '../../../tools/support/a-shell.ts';

const script = 'export const answer = 42;\n'.repeat(100);
const built = [
  { path: 'index.html', type: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>\n'), isImmutable: false },
  { path: 'main-ABC.js', type: 'text/javascript; charset=utf-8', bytes: Buffer.from(script), isImmutable: true },
];
const shell = { ...aShell(), pages: memoryPages(async () => built) };
const { handle } = page as RouteFunction;
const get = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  handle(aRequest({ method, path, headers }), shell);
const problemOf = (body: string | undefined): string => (JSON.parse(body!) as { type: string }).type;

describe('the page', () => {
  it('is one document, which its own router makes into views', async () => {
    for (const path of ['/ui', '/ui/', '/ui/nodes', '/ui/nodes/node1.example.test', '/ui/zones/default/map']) {
      const { status, headers, bytes } = await get(path);
      expect([path, status, headers!['content-type'], Buffer.from(bytes!).toString()]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
        '<!doctype html>\n',
      ]);
    }
  });
  it('answers a file that it does not have with 404, and never with its document', async () => {
    for (const path of ['/ui/main-OLD.js', '/ui/deep/main-ABC.js', '/ui/favicon.ico']) {
      const { status, body } = await get(path);
      expect([path, status, problemOf(body)]).toEqual([path, 404, 'urn:muster:problem:not-found']);
    }
  });
  it('lets a browser keep what has a hash in its name for ever, and has it ask again for its document', async () => {
    expect((await get('/ui/main-ABC.js')).headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable' });
    expect((await get('/ui/')).headers).toMatchObject({ 'cache-control': 'no-cache' });
  });
  it('sends each file in the best encoding that the caller accepts, each with an ETag of its own', async () => {
    const [plain, br, gz] = [
      await get('/ui/main-ABC.js'),
      await get('/ui/main-ABC.js', { 'accept-encoding': 'gzip, deflate, br, zstd' }),
      await get('/ui/main-ABC.js', { 'accept-encoding': 'gzip, br;q=0' }),
    ];
    expect([plain, br, gz].map(({ headers }) => headers!['content-encoding'])).toEqual([undefined, 'br', 'gzip']);
    expect(new Set([plain, br, gz].map(({ headers }) => headers!['etag'])).size).toBe(3);
    for (const { headers } of [plain, br, gz]) expect(headers).toMatchObject({ vary: 'accept-encoding' });
    expect([Buffer.from(plain.bytes!), brotliDecompressSync(br.bytes!), gunzipSync(gz.bytes!)].map(String)).toEqual([
      script,
      script,
      script,
    ]);
  });
  it('sends nothing to a browser that has the file already, in that encoding', async () => {
    const encoding = { 'accept-encoding': 'br' };
    const etag = (await get('/ui/main-ABC.js', encoding)).headers!['etag']!;
    const statusOf = async (ifNoneMatch: string, given: Readonly<Record<string, string>> = encoding) =>
      (await get('/ui/main-ABC.js', { ...given, 'if-none-match': ifNoneMatch })).status;
    expect(await Promise.all([etag, `W/${etag}`, `"other", ${etag}`, '*'].map((one) => statusOf(one)))).toEqual([304, 304, 304, 304]);
    expect(await statusOf(etag, {})).toBe(200);
    expect(await statusOf('"other"')).toBe(200);
  });
  it('is where browsers are led that open the bare address or a sign-in link; programs are not', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
    expect(await get('/', browser)).toMatchObject({ status: 302, headers: { location: '/ui/', vary: 'accept' } });
    expect(await get('/sign-in', browser)).toMatchObject({ status: 302, headers: { location: '/ui/sign-in' } });
    expect((await get('/', { accept: '*/*' })).status).toBe(404);
  });
  it('is only read', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await get('/ui/', { 'x-http-method-override': 'GET' }, method);
      expect([method, status, headers!['allow']]).toEqual([method, 405, 'GET, HEAD']);
    }
    expect((await get('/ui/', {}, 'HEAD')).status).toBe(200);
  });
  it('may run and load only what comes from its own address, in every answer that a browser shows', async () => {
    for (const path of ['/ui/', '/ui/main-ABC.js', '/ui', '/sign-in'])
      expect((await get(path)).headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; require-trusted-types-for 'script'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
  });
  it('is built once, and again when that failed', async () => {
    let builds = 0;
    const pages = memoryPages(async () => {
      builds += 1;
      if (builds === 1) throw new Error('a source has a mistake');
      return built;
    });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await handle(aRequest({ path: '/ui/' }), { ...shell, pages })).status);
    expect([statuses, builds]).toEqual([[500, 200, 200], 2]);
  });
  it('is nothing where a host has no files of it', async () => {
    const { pages: _none, ...bare } = shell;
    expect((await handle(aRequest({ path: '/ui/' }), bare)).status).toBe(404);
  });
});

describe('a path of the page', () => {
  it('that climbs is nothing, in whatever way it is written', () => {
    const up = ['..', '.', '%2e%2e', '%2E.', '.%2e', '%2e'];
    const slash = ['/', '\\', '%2f', '%5C'];
    for (const one of up)
      for (const by of slash)
        for (const path of [`/ui/${one}${by}keys.json`, `/ui/x${by}${one}`, `/ui/x${by}${one}${by}y`])
          expect([path, fileAt(path)]).toEqual([path, undefined]);
    expect(fileAt('/ui/index.html%00.js')).toBeUndefined();
  });
  it('is its document or a name without a climb, whatever it is', () => {
    fc.assert(
      fc.property(fc.webPath(), (path) => {
        const file = fileAt(`/ui/${path}`);
        expect(file === undefined || file === 'index.html' || !file.split('/').includes('..')).toBe(true);
      }),
    );
  });
});
