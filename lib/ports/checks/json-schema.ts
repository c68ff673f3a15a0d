import { dereference, type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { type Check, type Fault, faultsMax, jsonTextMax, type Verdict } from '../../core/check.ts';
import { schemaOfSchemas } from './draft-2020-12.ts';
import { type LinearPatterns, linearPattern, patternsMax, withLinearPatterns } from './linear-pattern.ts';

/** The deepest nesting of a schema or document. */
export const jsonDepthMax = 64;
/** Errors that only point to an error further in. */
const wrappers: readonly string[] = [
  ...['$ref', 'allOf', 'if', 'dependentSchemas', 'items', 'prefixItems', 'unevaluatedItems'],
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
];
/** Errors that replace those of their branches, of which none fits. */
const choices: readonly string[] = ['anyOf', 'oneOf', 'contains', 'minContains'];
const unsupported = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', 'dependencies'] as const;

type Read = { readonly json: unknown } | { readonly fault: Fault };

/** Whether a value is nested deeper than `left` levels. Checked before anything recursive walks through it. */
const deeper = (json: unknown, left: number): boolean =>
  typeof json === 'object' && json !== null && (left === 0 || Object.values(json).some((inner) => deeper(inner, left - 1)));

/** The text as JSON, or the fault for which it is not read. */
function read(text: string): Read {
  const whole = (detail: string): Read => ({ fault: { pointer: '', detail } });
  if (text.length > jsonTextMax) return whole(`${text.length} characters; the limit is ${jsonTextMax}`);
  try {
    const json: unknown = JSON.parse(text);
    return deeper(json, jsonDepthMax) ? whole(`nested deeper than ${jsonDepthMax} levels`) : { json };
  } catch (error) {
    return whole(`not JSON: ${(error as Error).message}`);
  }
}

const pointerOf = ({ instanceLocation }: OutputUnit): string => decodeURI(instanceLocation.slice(1));

const distinct = (faults: readonly Fault[]): readonly Fault[] =>
  [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()].slice(0, faultsMax);

/** The faults that people see of the validator's errors: each place once, and only the innermost. */
function faultsIn(errors: readonly OutputUnit[]): readonly Fault[] {
  const branches = new Set(
    errors
      .filter(({ keyword }) => choices.includes(keyword))
      .map(({ keywordLocation: at }) => `${at.replace(/minContains$/, 'contains')}/`),
  );
  const reported = errors
    .filter(({ keyword, keywordLocation: at }) => !wrappers.includes(keyword) && ![...branches].some((branch) => at.startsWith(branch)))
    .map((unit) => ({
      pointer: pointerOf(unit),
      detail: unit.keyword === 'false' ? 'Nothing is allowed here.' : unit.error.slice(0, 300),
    }));
  return distinct(reported);
}

/** The fault of a check that did not finish: thrown by the validator, or by the stack. */
function unfinished(error: unknown): readonly Fault[] {
  const because =
    error instanceof RangeError
      ? 'its schema refers to itself without end, or to too much'
      : String((error as Error).message).split('\n')[0];
  return [{ pointer: '', detail: `cannot be checked: ${because}` }];
}

function faultsOf(schema: unknown, data: unknown): readonly Fault[] {
  try {
    return faultsIn(new Validator(schema as Schema, '2020-12', false).validate(data).errors);
  } catch (error) {
    return unfinished(error);
  }
}

/** A place in a schema, as a JSON pointer; empty for a place with an `$id` of its own. */
const placeOf = (uri: string): string => decodeURI(uri.slice(uri.indexOf('#') + 1) || '').replace(/^[^/].*/, '');

/** The patterns of a schema for names and strings, with the place of each. */
const patternsIn = (uri: string, { pattern, patternProperties }: Schema): readonly { readonly at: string; readonly pattern: string }[] => [
  ...(typeof pattern === 'string' ? [{ at: `${placeOf(uri)}/pattern`, pattern }] : []),
  ...Object.keys(patternProperties ?? {}).map((name) => ({ at: `${placeOf(uri)}/patternProperties/${escaped(name)}`, pattern: name })),
];
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The schemas in a schema, each by its URI. */
type Within = readonly (readonly [string, Schema])[];

/** All patterns of a schema, compiled, and the faults of those that cannot be compiled. */
function compiled(schemas: Within): { readonly patterns: LinearPatterns; readonly faults: readonly Fault[] } {
  const patterns = new Map<string, { test(text: string): boolean }>();
  const faults: Fault[] = [];
  for (const { at, pattern } of schemas.flatMap(([uri, schema]) => patternsIn(uri, schema))) {
    if (patterns.size >= patternsMax && !patterns.has(pattern)) {
      faults.push({ pointer: '', detail: `The schema has more than ${patternsMax} patterns.` });
      break;
    }
    try {
      if (!patterns.has(pattern)) patterns.set(pattern, linearPattern(pattern));
    } catch (error) {
      const why = (error as Error).message.replace(/^error parsing regexp: /, '').slice(0, 200);
      faults.push({ pointer: at, detail: `This pattern cannot be matched in linear time by RE2: ${why}.` });
    }
  }
  return { patterns, faults };
}

/**
 * The faults of references that lead out of the schema, and of keywords and formats that this validator ignores or that
 * cost too much.
 */
function misled(schemas: Within, known: ReadonlySet<string>): readonly Fault[] {
  return schemas.flatMap(([uri, inner]) => {
    const at = placeOf(uri);
    return [
      ...(inner.$ref !== undefined && !known.has(inner.__absolute_ref__ ?? inner.$ref)
        ? [{ pointer: `${at}/$ref`, detail: `"${inner.$ref}" is not in this schema, and Muster fetches no schemas.` }]
        : []),
      ...unsupported
        .filter((keyword) => Object.hasOwn(inner, keyword))
        .map((keyword) => ({ pointer: `${at}/${keyword}`, detail: 'This keyword is not supported.' })),
      ...(inner.format === 'url' ? [{ pointer: `${at}/format`, detail: 'This format is not in the draft: use uri.' }] : []),
    ];
  });
}

/**
 * The faults that keep a readable schema from being a self-contained one of draft 2020-12, and its compiled patterns.
 */
function usable(schema: unknown): { readonly patterns: LinearPatterns; readonly faults: readonly Fault[] } {
  if (typeof schema !== 'object') return { patterns: new Map(), faults: [] };
  try {
    const all = Object.entries(dereference(schema as Schema));
    const schemas = all.filter((one): one is [string, Schema] => typeof one[1] === 'object');
    const { patterns, faults } = compiled(schemas);
    return { patterns, faults: distinct([...misled(schemas, new Set(all.map(([uri]) => uri))), ...faults]) };
  } catch (error) {
    return { patterns: new Map(), faults: unfinished(error) };
  }
}

/**
 * All faults that keep a text from being a JSON Schema of draft 2020-12, up to `faultsMax`. A schema must be
 * self-contained: a reference that leads out of it is a fault, since nothing is ever fetched.
 */
function judgeSchema(schemaText: string): Verdict {
  const schema = read(schemaText);
  if ('fault' in schema) return { is: 'done', faults: [schema.fault] };
  const faults = faultsOf(structuredClone(schemaOfSchemas), schema.json);
  return { is: 'done', faults: faults.length > 0 ? faults : usable(schema.json).faults };
}

/**
 * Checks a schema, or a document against one, on the caller's thread and without a limit of time. It reports all faults
 * at once, up to `faultsMax`. A document is checked against a schema that was valid when it was stored. Only the parts
 * that older versions accepted are checked again: patterns that cannot be matched in linear time make the schema
 * unusable. Formats that the draft knows are checked.
 */
export function judge({ schema: schemaText, data: dataText }: Check): Verdict {
  if (dataText === undefined) return judgeSchema(schemaText);
  const data = read(dataText);
  if ('fault' in data) return { is: 'done', faults: [data.fault] };
  const schema: unknown = JSON.parse(schemaText);
  const { patterns, faults } = usable(schema);
  if (faults.length > 0) return { is: 'unusable', faults };
  return { is: 'done', faults: withLinearPatterns(patterns, () => faultsOf(schema, data.json)) };
}
