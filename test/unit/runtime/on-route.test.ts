import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bodyBytesMax } from '../../../lib/api/json.ts';
import { Refusal } from '../../../lib/api/problem.ts';
import { route } from '../../../lib/api/route.ts';
import { Later } from '../../../lib/core/errors.ts';
import { type Handlers, onRoutes } from '../../../lib/runtime/on-route.ts';
import type { Reply } from '../../../lib/runtime/reply.ts';
import { anyone } from '../../../lib/runtime/verify.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';

const params = z.strictObject({ id: z.string().regex(/^n\d+$/) });
const routes = {
  get: route({
    method: 'GET',
    path: '/things/{id}',
    summary: 'get',
    scope: 'read',
    params,
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    statuses: [200],
    errors: [],
  }),
  put: route({
    method: 'POST',
    path: '/things/{id}',
    summary: 'put',
    scope: 'operate',
    params,
    body: z.strictObject({ name: z.string(), tags: z.array(z.strictObject({ key: z.string() })).default([]) }),
    statuses: [202],
    errors: [],
  }),
  any: route({ method: 'POST', path: '/things/any', summary: 'any', scope: 'read', body: z.strictObject({}), statuses: [204], errors: [] }),
};

let shell: TestShell;
let fail: unknown;
beforeEach(() => {
  shell = aShell();
  fail = undefined;
});

const handlers: Handlers<typeof routes> = {
  get: ({ params: { id }, query }) => {
    if (fail !== undefined) throw fail;
    return { status: 200, body: { id, ...query }, headers: { etag: '"7"' } };
  },
  put: async ({ params: { id }, body }) => ({ status: 202, body: { id, ...body } }),
  any: () => ({ status: 204, headers: { 'retry-after': '5' } }),
};
const door = onRoutes(routes, handlers, anyone);

type Asked = { method?: string; path?: string; query?: string; body?: string; type?: string | undefined };
const ask = async ({
  method = 'GET',
  path = '/things/n1',
  query = '',
  body = '',
  type = body === '' ? undefined : 'application/json',
}: Asked) => door.handle(aRequest({ method, path, query, body, headers: type === undefined ? {} : { 'content-type': type } }), shell);
const post = (body: string, type?: string): Promise<Reply> => ask({ method: 'POST', body, ...(type !== undefined && { type }) });

/** A refusal as status, type slug and pointers. */
const problem = ({ status, headers, body }: Reply) => {
  const { type, status: said, instance, errors = [], title, detail } = JSON.parse(body!);
  expect(headers?.['content-type']).toBe('application/problem+json');
  expect([said, instance]).toEqual([status, 'call-1']);
  expect(title.length * detail.length).toBeGreaterThan(0);
  return [status, type.replace('urn:muster:problem:', ''), ...errors.map(({ pointer }: { pointer: string }) => pointer)];
};

describe('a call that is as it should be', () => {
  it('has its body parsed once, for whoever verifies it and whoever answers it', async () => {
    const parsed: unknown[] = [];
    const name = z.strictObject({ name: z.string() }).refine((body) => parsed.push(body));
    const named = { name: route({ ...routes.any, body: name }) };
    const verified: string[] = [];
    const once = onRoutes(
      named,
      { name: ({ body }) => ({ status: 200, text: body.name }) },
      (_request, _route, _params, _shell, bodyFor) => {
        verified.push(bodyFor(named.name).name);
        return { who: 'anyone', source: '127.0.0.1' };
      },
    );
    const sent = { method: 'POST', path: '/things/any', headers: { 'content-type': 'application/json' }, body: '{"name":"a"}' };
    expect(await once.handle(aRequest(sent), shell)).toMatchObject({ status: 200, body: 'a' });
    expect({ parsed, verified }).toEqual({ parsed: [{ name: 'a' }], verified: ['a'] });
  });

  it('is answered in JSON, with what the query leaves out filled in', async () => {
    expect(await ask({})).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', etag: '"7"' },
      body: '{"id":"n1","limit":50}',
      mayBeEncoded: true,
    });
    expect((await ask({ path: '/things/n%31', query: 'limit=200' })).body).toBe('{"id":"n1","limit":200}');
  });

  it('may have a charset', async () => {
    expect((await post('{"name":"x"}', 'application/json; charset=utf-8')).status).toBe(202);
  });

  it.each(['application/json', undefined])('may leave its body out where it is empty anyway, with the type %j', async (type) => {
    expect(await ask({ method: 'POST', path: '/things/any', type })).toEqual({ status: 204, headers: { 'retry-after': '5' } });
  });

  it('is HEAD where there is GET, and is answered as GET is', async () => {
    expect(await ask({ method: 'HEAD' })).toEqual(await ask({}));
  });

  it('goes to the route with the most literal path', async () => {
    expect((await ask({ method: 'POST', path: '/things/any', body: '{}' })).status).toBe(204);
  });
});

describe('a call that is refused', () => {
  it('has no such path', async () => {
    expect(problem(await ask({ path: '/thing/n1' }))).toEqual([404, 'not-found']);
    expect(problem(await ask({ path: '/things/n1/' }))).toEqual([404, 'not-found']);
    expect(problem(await ask({ path: '/things/' }))).toEqual([404, 'not-found']);
  });

  it('has another method, and is told which there are', async () => {
    const refused = await ask({ method: 'DELETE' });
    expect(problem(refused)).toEqual([405, 'wrong-method']);
    expect(refused.headers?.['allow']).toBe('GET, HEAD, POST');
  });

  it('has a method of a route that only looks alike: the path with more literals is another thing', async () => {
    const refused = await ask({ path: '/things/any' });
    expect(problem(refused)).toEqual([405, 'wrong-method']);
    expect(refused.headers?.['allow']).toBe('POST');
  });

  it('has a body that is too large', async () => {
    const full = `{"name":"${'x'.repeat(bodyBytesMax - 11)}"}`;
    expect(full).toHaveLength(bodyBytesMax);
    expect((await post(full)).status).toBe(202);
    expect(problem(await post(`${full} `))).toEqual([413, 'too-large']);
    // Counted in bytes, not in characters.
    expect(problem(await post(`{"name":"${'é'.repeat(bodyBytesMax / 2)}"}`))).toEqual([413, 'too-large']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonlines', 'application/json-patch+json', ''])(
    'has a body of the type %j',
    async (type) => {
      expect(problem(await post('{"name":"x"}', type))).toEqual([415, 'unsupported-media-type']);
    },
  );

  it('has no body, and the type of one that is not taken', async () => {
    expect(problem(await ask({ method: 'POST', path: '/things/any', type: 'text/plain' }))).toEqual([415, 'unsupported-media-type']);
  });

  it('has no body, where there are fields that it must have', async () => {
    expect(problem(await ask({ method: 'POST' }))).toEqual([422, 'invalid', '/name']);
  });

  it.each([
    ['is cut off', '{"name":'],
    ['is empty', ' '],
    ['is text', 'name=x'],
    ['is nested 33 levels deep', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['holds the key __proto__', '{"name":"x","__proto__":{"admin":true}}'],
    ['holds it in an element', '{"name":"x","tags":[{"key":"a","__proto__":1}]}'],
    ['holds it in another spelling', '{"name":"x","\\u005f_proto__":{"admin":true}}'],
  ])('has a body that %s', async (_what, body) => {
    expect(problem(await post(body))).toEqual([400, 'malformed-json']);
  });

  it('has a field that this call does not have', async () => {
    expect(problem(await post('{"name":"x","color":"red"}'))).toEqual([422, 'unknown-field', '/color']);
    expect(problem(await post('{"name":"x","tags":[{"key":"a","a/b~c":1}]}'))).toEqual([422, 'unknown-field', '/tags/0/a~1b~0c']);
    expect(problem(await ask({ query: 'limit=1&colour=red' }))).toEqual([422, 'unknown-field', '/colour']);
    expect(problem(await ask({ query: '__proto__=1' }))).toEqual([422, 'unknown-field', '/__proto__']);
    expect(problem(await ask({ method: 'POST', query: 'dry=1', body: '{"name":"x"}' }))).toEqual([422, 'unknown-field', '/dry']);
  });

  it('has a field of a wrong type or value', async () => {
    expect(problem(await post('{"name":7}'))).toEqual([422, 'invalid', '/name']);
    expect(problem(await post('{"tags":[{"key":1},{"key":2}]}'))).toEqual([422, 'invalid', '/name', '/tags/0/key', '/tags/1/key']);
    expect(problem(await post('[]'))).toEqual([422, 'invalid', '']);
    expect(problem(await post('null'))).toEqual([422, 'invalid', '']);
    expect(problem(await ask({ query: 'limit=0' }))).toEqual([422, 'invalid', '/limit']);
    expect(problem(await ask({ path: '/things/x' }))).toEqual([422, 'invalid', '/id']);
    expect(problem(await ask({ path: '/things/%ff' }))).toEqual([422, 'invalid', '/id']);
  });

  it('is logged for whoever looks closely', async () => {
    await ask({ path: '/things/x' });
    expect(shell.logged).toEqual([
      { level: 'debug', code: 'door.refused', fields: { id: 'call-1', method: 'GET', path: '/things/x', type: 'invalid' } },
    ]);
  });

  it('may be so by its handler, with headers', async () => {
    fail = new Refusal('version-conflict', 'it is at version "8"', { headers: { etag: '"8"' } });
    const refused = await ask({});
    expect(problem(refused)).toEqual([412, 'version-conflict']);
    expect(refused.headers?.['etag']).toBe('"8"');
  });
});

describe('a call that fails', () => {
  it('by a transient failure is told to come again', async () => {
    fail = new Later('service.busy', 'read: ThrottlingException: table muster-data');
    const reply = await ask({});
    expect(problem(reply)).toEqual([503, 'busy']);
    expect(reply.headers?.['retry-after']).toBe('2');
    expect(reply.body).not.toContain('muster-data');
    expect(shell.logged).toEqual([
      {
        level: 'warn',
        code: 'door.refused',
        fields: {
          id: 'call-1',
          method: 'GET',
          path: '/things/n1',
          type: 'service.busy',
          detail: 'read: ThrottlingException: table muster-data',
        },
      },
    ]);
  });

  it('by something nobody expected is told an id, and the log the rest', async () => {
    fail = new TypeError('cannot read properties of undefined');
    const reply = await ask({});
    expect(problem(reply)).toEqual([500, 'unexpected']);
    expect(reply.body).not.toMatch(/undefined|TypeError|at .*\.ts/);
    const [{ level, code, fields }] = shell.logged as [TestShell['logged'][number]];
    expect([level, code, fields['id'], fields['detail']]).toEqual([
      'error',
      'door.failed',
      'call-1',
      'cannot read properties of undefined',
    ]);
    expect(fields['stack']).toContain('on-route.test.ts');
  });
});

describe('the quick way', () => {
  const quick: Reply = { status: 200, body: '1' };

  it('answers before all else, without a promise', () => {
    expect(onRoutes(routes, handlers, anyone, { quick: () => quick }).handle(aRequest({ path: '/nowhere' }), shell)).toBe(quick);
  });

  it('may decline, and the usual way answers', async () => {
    expect(
      (await onRoutes(routes, handlers, anyone, { quick: () => undefined }).handle(aRequest({ path: '/things/n1' }), shell)).status,
    ).toBe(200);
  });

  it('fails as the usual way does', async () => {
    const quick = () => {
      throw new TypeError('cannot read properties of undefined');
    };
    const failing = onRoutes(routes, handlers, anyone, { quick });
    expect(problem(await failing.handle(aRequest({ path: '/things/n1' }), shell))).toEqual([500, 'unexpected']);
    expect(shell.logged[0]?.code).toBe('door.failed');
  });
});
