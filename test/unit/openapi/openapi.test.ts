import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { problems } from '../../../lib/api/problem.ts';
import type { Route } from '../../../lib/api/route.ts';
import { contract } from '../../../lib/contract.ts';
import { examples } from '../../../lib/openapi/examples.ts';
import { openApi, refusalsPossible } from '../../../lib/openapi/openapi.ts';
import { resolvedIn, valuesOf } from '../../support/openapi-document.ts';

type Json = { readonly [key: string]: unknown };
type Header = { description: string; schema: Json };
type Response = { description: string; headers?: Record<string, Header>; content?: Record<string, { schema: Json; example?: unknown }> };
type Operation = {
  operationId: string;
  summary: string;
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, Response>;
};
const document = openApi() as Json & { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Json> } };
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const routes = Object.entries(contract) as [keyof typeof contract, Route][];
const operationOf = (name: string) => operations.find(({ operation }) => operation.operationId === name)!;

const resolved = (ref: string): unknown => resolvedIn(document, ref);

/** A schema of the document with the components it refers to, as JSON Schema validates it. */
const validatorOf = (schema: Json): z.ZodType => {
  const local = JSON.parse(
    JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll('#/components/schemas/', '#/$defs/'),
  );
  return z.fromJSONSchema(local);
};

describe('the OpenAPI document', () => {
  it('has every route of the contract, once, and nothing else', () => {
    const declared = routes.map(([name, { method, path }]) => `${method.toLowerCase()} ${path} ${name}`);
    expect(operations.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`).sort()).toEqual(declared.sort());
  });

  it('is OpenAPI 3.1 with a title, a version and a licence', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Muster', version: '1', license: { identifier: 'Apache-2.0' } } });
  });

  it('resolves every reference, and has no component that nothing refers to', () => {
    const refs = valuesOf('$ref', document) as string[];
    expect(refs.filter((ref) => resolved(ref) === undefined)).toEqual([]);
    const unused = Object.keys(document.components.schemas).filter((name) => !refs.includes(`#/components/schemas/${name}`));
    expect(unused).toEqual([]);
  });

  it('is plain JSON without schema definitions of its own anywhere else', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(
      [...valuesOf('$defs', document), ...valuesOf('$schema', document), ...valuesOf('id', document.components)].filter(
        (value) => typeof value === 'string',
      ),
    ).toEqual([]);
  });

  it('is the same each time it is made', () => {
    expect(openApi()).toEqual(document);
  });
});

describe.each(routes)('%s', (name, route) => {
  const { operation } = operationOf(name);

  it('names each parameter of its path, and no other', () => {
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(declared.map((parameter) => ({ name: parameter.name, required: parameter.required }))).toEqual(
      inPath.map((parameter) => ({ name: parameter, required: true })),
    );
  });

  it('has each of its successes and refusals, the refusals as problem+json with their types', () => {
    const refused = refusalsPossible(route);
    const statuses = new Set([...route.statuses, ...refused.map((type) => problems[type][0])].map(String));
    expect(new Set(Object.keys(operation.responses))).toEqual(statuses);
    for (const type of refused) {
      const { content } = operation.responses[String(problems[type][0])]!;
      const schema = content!['application/problem+json']!.schema as { $ref: string; properties: { type: { enum: string[] } } };
      expect(schema.$ref).toBe('#/components/schemas/Problem');
      expect(schema.properties.type.enum).toContain(`urn:muster:problem:${type}`);
    }
  });

  it('says what its callers have to prove, and which scope it needs', () => {
    const { scope, method } = route;
    const signed = { node: [{ signature: [] }], client: [method === 'GET' ? { membership: [] } : { signature: [] }, {}], anyone: [] };
    expect(operation.security).toEqual(scope in signed ? signed[scope as keyof typeof signed] : [{ bearer: [scope] }]);
  });

  it('has an example of each JSON body and answer, which the contract and the document both accept', () => {
    const { body, reply } = (examples[name] ?? {}) as { body?: unknown; reply?: unknown };
    if (name !== 'openapi')
      expect({ body: body !== undefined, reply: reply !== undefined }).toEqual({
        body: route.body !== undefined,
        reply: route.reply !== undefined,
      });
    if (route.body) {
      expect(route.body.safeParse(body).error).toBeUndefined();
      expect(validatorOf(operation.requestBody!.content['application/json']!.schema).safeParse(body).error).toBeUndefined();
    }
    if (reply !== undefined) {
      expect(route.reply!.safeParse(reply).error).toBeUndefined();
      const shown = operation.responses[String(route.statuses.find((status) => status < 300 && status !== 204))]!;
      expect(validatorOf(shown.content![route.replyType ?? 'application/json']!.schema).safeParse(reply).error).toBeUndefined();
    }
  });
});

describe('a body as the document describes it', () => {
  const objects = routes.filter(([, route]) => route.body instanceof z.ZodObject);

  it.each(objects)('of %s › has no field that the contract does not know', (name) => {
    const { body } = examples[name] as { body: object };
    const { schema } = operationOf(name).operation.requestBody!.content['application/json']!;
    expect(validatorOf(schema).safeParse({ ...body, misspelt: 1 }).success).toBe(false);
  });
});

describe('headers', () => {
  const sentTo = (name: string) =>
    (operationOf(name).operation.parameters ?? []).filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name);
  const answeredBy = (name: string, status: number) =>
    Object.keys(operationOf(name).operation.responses[String(status)]!.headers ?? {}).filter((header) => header !== 'X-Request-Id');

  it('of every answer › the name of its call', () => {
    const responses = operations.flatMap(({ operation }) => Object.values(operation.responses));
    expect(responses.filter(({ headers }) => headers?.['X-Request-Id'] === undefined)).toEqual([]);
  });

  it('of what may be edited › an ETag, and If-Match on the edit', () => {
    expect([answeredBy('getNode', 200), answeredBy('editNode', 200), sentTo('editNode'), answeredBy('editNode', 412)]).toEqual([
      ['ETag'],
      ['ETag'],
      ['If-Match'],
      ['ETag'],
    ]);
  });

  it('of each POST of the API that answers no secret and nothing of the moment › an Idempotency-Key, and of no other call', () => {
    const taking = routes.filter(([name]) => sentTo(name).includes('Idempotency-Key')).map(([name]) => name);
    const posts = routes.filter(([, { method, path }]) => method === 'POST' && path.startsWith('/api/v1/'));
    expect(taking).toEqual(posts.filter(([, { secret, momentary }]) => !secret && !momentary).map(([name]) => name));
    expect(posts.filter(([, { momentary }]) => momentary).map(([name]) => name)).toEqual(['editContent']);
    expect(taking).toEqual(expect.arrayContaining(['leaveNode', 'accept', 'ban', 'redriveDeadLetters']));
  });

  it('is remembered by nobody where it holds a secret', () => {
    const secrets = routes.filter(([, { reply }]) => Object.keys((reply as { shape?: object })?.shape ?? {}).includes('secret'));
    expect(secrets.map(([name]) => name)).toEqual(expect.arrayContaining(['createKey']));
    for (const [name, { secret }] of [
      ...secrets,
      ...routes.filter(([name]) => /^(createSignInLink|signIn|\w+Session|\w+Issuer)$/.test(name)),
    ])
      expect(secret, name).toBe(true);
  });

  it('of the client protocol › token, next, watch and lost where they go', () => {
    expect({
      knock: answeredBy('knock', 200),
      status: sentTo('systemStatus'),
      orphan: [answeredBy('orphan', 200), answeredBy('orphan', 204)],
      desired: sentTo('desired'),
    }).toEqual({
      knock: ['muster-next', 'muster-token', 'muster-watch', 'muster-direct'],
      status: ['muster-token', 'muster-lost', 'muster-boot'],
      orphan: [
        ['muster-token', 'muster-watch', 'muster-next', 'muster-knock'],
        ['muster-next', 'muster-knock', 'Retry-After'],
      ],
      desired: ['If-None-Match'],
    });
  });
});
