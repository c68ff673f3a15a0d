import { describe, expect, it } from 'vitest';
import { naming, only } from '../../../lib/runtime/direct.ts';
import type { RouteFunction } from '../../../lib/runtime/function.ts';
import type { Reply } from '../../../lib/runtime/reply.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell } from '../../../tools/support/a-shell.ts';

const door = (reply: Reply | Promise<Reply>): RouteFunction => ({ on: 'route', handle: () => reply });
const shell = aShell();

describe('a function at an address of its own', () => {
  const beats = only(door({ status: 204 }), 'POST /nodes/{id}/heartbeat');
  const statusOf = async (method: string, path: string) => beats.handle(aRequest({ method, path }), shell);

  it('answers its one route', async () => {
    expect(await statusOf('POST', '/nodes/n1/heartbeat')).toEqual({ status: 204 });
    const status = only(door({ status: 200 }), 'GET /system/status');
    expect(await status.handle(aRequest({ method: 'GET', path: '/system/status' }), shell)).toEqual({ status: 200 });
  });

  it.each([
    ['GET', '/nodes/n1/heartbeat'],
    ['POST', '/nodes/n1/up'],
    ['POST', '/nodes/join'],
    ['POST', '/nodes//heartbeat'],
    ['POST', '/nodes/n1/x/heartbeat'],
    ['POST', '/nodes/n1/heartbeat/'],
    ['POST', '/x/nodes/n1/heartbeat'],
    ['POST', '/api/v1/nodes'],
    ['GET', '/system/status'],
  ])('has nothing else: %s %s', async (method, path) => {
    expect(await statusOf(method, path)).toMatchObject({ status: 404, headers: { 'content-type': 'application/problem+json' } });
  });
});

describe('a function that names another address', () => {
  it('names it in every answer, at once or later, and changes nothing else of it', async () => {
    const named = { 'muster-direct': 'https://abc.lambda-url.eu-central-1.on.aws/' };
    const reply = { status: 200, headers: { etag: '"1"' }, body: '1' };
    const by = (answer: Reply | Promise<Reply>) => naming(door(answer), named['muster-direct']).handle(aRequest({}), shell);
    expect(by(reply)).toEqual({ ...reply, headers: { ...reply.headers, ...named } });
    expect(await by(Promise.resolve({ status: 404 }))).toEqual({ status: 404, headers: named });
  });
});
