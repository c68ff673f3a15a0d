import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { methods, type Signature } from '../../../../lib/uyuni/api/methods.ts';
import { orderedBy, readJsonCall } from '../../../../lib/uyuni/gateway/json-call.ts';
import { gatewayOpenApi, type Json } from '../../../../lib/uyuni/gateway/openapi.ts';
import { schemaOf } from '../../../../lib/uyuni/gateway/type-schemas.ts';
import { resolvedIn, valuesOf } from '../../../support/openapi-document.ts';

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Json }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, Json>>;
};
const document = gatewayOpenApi() as Json & { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
);

/** A value of a documented type. */
function sample(type: string): unknown {
  if (type === 'parameters') return [];
  const items = /^array<(.*)>$/.exec(type)?.[1];
  if (items !== undefined) return [sample(items)];
  if (/^(struct|map)/.test(type)) return {};
  const values: Readonly<Record<string, unknown>> = { int: 1, long: 1, boolean: true, 'dateTime.iso8601': '2031-05-01T12:00:00Z' };
  return values[type] ?? 'text';
}

describe('the OpenAPI document of the JSON interface', () => {
  it('has each method of the table once, by the verb by which servers take it', () => {
    const wanted = [...methods].map(([name, forms]) => [name, [...new Set(forms.map(({ reads }) => (reads ? 'get' : 'post')))].join()]);
    const own = operations.filter(({ path }) => !path.startsWith('/auth/'));
    expect(own.map(({ operation, verb }) => [operation.operationId, verb])).toEqual(wanted.filter(([name]) => !name?.startsWith('auth.')));
    expect(own.every(({ path, operation }) => path === `/${operation.operationId.replaceAll('.', '/')}`)).toBe(true);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/auth/'))).toEqual(['/auth/login', '/auth/logout']);
  });

  it('is OpenAPI 3.1: references lead somewhere, parameters are in the query once, and schemas are schemas', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: expect.any(String), version: '29' } });
    expect((valuesOf('$ref', document) as string[]).filter((one) => resolvedIn(document, one) === undefined)).toEqual([]);
    for (const { verb, operation } of operations) {
      const names = (operation.parameters ?? []).map(({ name }) => name);
      expect([new Set(names).size, verb === 'get' || names.length === 0]).toEqual([names.length, true]);
      expect((operation.parameters ?? []).every((one) => one.in === 'query' && typeof one.required === 'boolean')).toBe(true);
      expect(Object.keys(operation.responses)).toContain('200');
    }
    for (const schema of valuesOf('schema', document)) expect(() => z.fromJSONSchema(schema as never)).not.toThrow();
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it('describes calls that the gateway takes: each form of each method is found by what its schema allows', () => {
    const failed: string[] = [];
    for (const { path, verb, operation } of operations.filter((one) => !one.path.startsWith('/auth/'))) {
      const forms = (methods.get(operation.operationId) ?? []).filter(({ reads }) => reads === (verb === 'get'));
      const { schema } = operation.requestBody?.content['application/json'] ?? {};
      for (const form of forms) {
        const given = Object.fromEntries(form.jsonNames.map((name, n) => [name, sample(form.params[n]?.type ?? '')]));
        if (schema && !z.fromJSONSchema(schema as never).safeParse(given).success) failed.push(`${operation.operationId}: schema`);
        const body = Buffer.from(JSON.stringify(given));
        const call = readJsonCall({ verb: verb === 'get' ? 'GET' : 'POST', path: path.slice(1), query: '', body });
        if (namesOf(orderedBy(forms, call).form) !== namesOf(form)) failed.push(operation.operationId);
      }
    }
    expect(failed).toEqual([]);
  });

  it('reads types of structs in structs', () => {
    expect(schemaOf('struct{a:array<struct{b:int, c d:string or int}>, e:map}')).toEqual({
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: { type: 'object', properties: { b: { type: 'integer', format: 'int32' }, 'c d': { type: ['string', 'integer'] } } },
        },
        e: { type: 'object' },
      },
    });
    expect(() => schemaOf('nobody')).toThrow('is no type');
  });
});

const namesOf = (form: Signature | undefined): string | undefined => form && [...form.jsonNames].sort().join();
