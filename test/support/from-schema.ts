import fc from 'fast-check';
import * as z from 'zod';

type Json = Readonly<Record<string, unknown>>;

/** Texts that a value may be, beside those that a schema says itself. */
export type Words = readonly string[];

/**
 * Values that a schema takes, made from its JSON Schema: texts are words that fit, else some that match its pattern.
 * What the JSON Schema cannot say is tried: in the place of a value that the schema refuses stands the example.
 */
export function valuesOf(schema: z.ZodType | undefined, words: Words, example: unknown): fc.Arbitrary<unknown> {
  if (!schema) return fc.constant(undefined);
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  return arbitraryOf(root, root, words, depthMax).map((value) => (schema.safeParse(value).success ? value : example));
}

/** How deep a value is nested at the most: a schema may name itself. */
const depthMax = 8;

function arbitraryOf(json: Json | boolean, root: Json, words: Words, depth: number): fc.Arbitrary<unknown> {
  if (typeof json === 'boolean' || depth === 0) return fc.constant(null);
  const of = (part: unknown): fc.Arbitrary<unknown> => arbitraryOf(part as Json, root, words, depth - 1);
  if (typeof json['$ref'] === 'string') return of(resolved(json['$ref'], root));
  if ('const' in json) return fc.constant(json['const']);
  if (Array.isArray(json['enum'])) return fc.constantFrom(...(json['enum'] as unknown[]));
  const either = (json['anyOf'] ?? json['oneOf']) as readonly unknown[] | undefined;
  if (either) return fc.oneof(...either.map(of));
  if (Array.isArray(json['allOf'])) return of({ ...json, ...Object.assign({}, ...(json['allOf'] as object[])), allOf: undefined });
  switch (json['type']) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: bound(json, 'inimum', 0), max: Math.min(bound(json, 'aximum', 1_000), 1_000_000) });
    case 'number':
      return fc.constantFrom(bound(json, 'inimum', 0.5), 1);
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(of(json['items'] ?? {}), { minLength: Number(json['minItems'] ?? 0), maxLength: 3 });
    case 'object':
      return objectOf(json, of, words);
    default:
      return textOf(json, words);
  }
}

const bound = (json: Json, name: 'inimum' | 'aximum', other: number): number =>
  Number(json[`m${name}`] ?? json[`exclusiveM${name}`] ?? other);

function objectOf(json: Json, of: (part: unknown) => fc.Arbitrary<unknown>, words: Words): fc.Arbitrary<unknown> {
  const properties = (json['properties'] ?? {}) as Readonly<Record<string, unknown>>;
  const known = fc.record(Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, of(part)])), {
    requiredKeys: (json['required'] ?? []) as never[],
  });
  const others = json['additionalProperties'];
  if (typeof others !== 'object') return known;
  return fc.dictionary(fc.constantFrom(...words), of(others), { maxKeys: 2 });
}

function textOf({ pattern, format }: Json, words: Words): fc.Arbitrary<unknown> {
  if (format === 'date-time') return fc.constantFrom('2026-01-01T12:30:00.000Z', '2026-01-01T11:30:00.000Z');
  const form = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  const fitting = form ? words.filter((word) => form.test(word)) : words;
  return fitting.length > 0 ? fc.constantFrom(...fitting) : form ? fc.stringMatching(form) : fc.constant('a word');
}

function resolved(ref: string, root: Json): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce((part: unknown, name) => (part as Json)[name], root);
}
