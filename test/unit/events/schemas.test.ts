import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { asyncApi } from '../../../events/asyncapi.ts';
import { published, reported } from '../../../events/catalogue.ts';
import { type JsonSchema, publishedSchemas, reportedAs, reportedSchemas } from '../../../events/json-schemas.ts';
import { wiring } from '../../../infra/wiring.ts';
import { examples } from './frozen.ts';

const all = examples();
const read = (schema: JsonSchema): z.ZodType => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

describe.each(Object.entries(publishedSchemas()))('the JSON Schema of %s', (name, schema) => {
  const { data, dataschema } = all.get(name) as { data: object; dataschema: string };

  it('has the id that envelopes name, and accepts the example', () => {
    expect(schema['$id']).toBe(dataschema);
    expect(read(schema).safeParse(data).error).toBeUndefined();
  });

  it('lets subscribers meet a field more, and misses none', () => {
    expect(read(schema).safeParse({ ...data, later: 1 }).success).toBe(true);
    expect(read(schema).safeParse({}).success).toBe(false);
  });
});

describe.each(Object.entries(reportedSchemas()))('the JSON Schema of %s', (name, schema) => {
  it('accepts the example and no field more', () => {
    const example = all.get(name)!;
    expect(read(schema).safeParse(example).error).toBeUndefined();
    expect(read(schema).safeParse({ ...example, misspelt: 1 }).success).toBe(false);
  });
});

describe('the AsyncAPI document', () => {
  type Message = { name: string; summary: string; payload: JsonSchema; examples?: { payload: object }[] };
  type Document = {
    asyncapi: string;
    channels: Record<string, { address: string; messages: Record<string, { $ref: string }> }>;
    operations: Record<string, { action: string; channel: { $ref: string } }>;
    components: { messages: Record<string, Message> };
  };
  const summaries = Object.fromEntries(
    [...Object.keys(published), ...Object.keys(reported).map(reportedAs)].map((type) => [type, `about ${type}`]),
  );
  const document = asyncApi({ summaries, examples: Object.fromEntries(all) }) as Document;
  const { channels, operations, components } = document;

  it('has every published event on the bus and in the stream, and on the way in what the wiring lets in', () => {
    expect(document.asyncapi).toBe('3.0.0');
    expect(Object.fromEntries(Object.entries(channels).map(([name, { messages }]) => [name, Object.keys(messages)]))).toEqual({
      muster: Object.keys(published),
      stream: Object.keys(published),
      'muster-in': Object.values(wiring.queues).flatMap(({ fromBus = [] }) => fromBus.map((type) => `report-${type}`)),
    });
  });

  it('resolves every reference', () => {
    const resolved = (ref: string): unknown =>
      ref
        .split('/')
        .slice(1)
        .reduce((at: unknown, part) => (at as Record<string, unknown> | undefined)?.[part], document);
    const refs = [
      ...Object.values(channels).flatMap(({ messages }) => Object.values(messages).map(({ $ref }) => $ref)),
      ...Object.values(operations).map(({ channel }) => channel.$ref),
    ];
    expect(refs.filter((ref) => resolved(ref) === undefined)).toEqual([]);
  });

  it.each(Object.entries(components.messages))(
    '%s › has a summary, and examples that its payload accepts',
    (_name, { summary, payload, examples: shown = [] }) => {
      expect(summary).toMatch(/^about /);
      for (const example of shown) expect(read(payload).safeParse(example.payload).error).toBeUndefined();
    },
  );

  it('tells events from one another by their type', () => {
    const joined = components.messages['node.joined']!.payload;
    expect(read(joined).safeParse(all.get('node.activated.v1')).success).toBe(false);
  });
});
