import { createContext, Script } from 'node:vm';
import { dereference, type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { schemaOfSchemas } from './draft-2020-12.ts';

/** What is wrong with a document, and where, as a JSON pointer (RFC 6901): the empty one is the whole. */
export type Fault = { readonly pointer: string; readonly detail: string };

/** How long a schema, or what it is held against, may be, in characters of JSON; how deep it may go; how many faults are told of one document. */
export const jsonTextMax = 65_536;
export const jsonDepthMax = 64;
export const faultsMax = 50;
/**
 * How long one check may take, in ms, of which it has two. Most take less than one. Patterns that go back over what they read, references that double at every step and
 * the like take for ever: whoever registers a type must not be able to stop the control plane by one.
 */
export const checkMsMax = 500;

/** How much is checked at once without being watched, as the product of both lengths: a watch takes longer to set than such a check takes. */
const quickMax = 4_000_000;
const costly = /"(?:\$ref|pattern|patternProperties|uniqueItems|format)":/;
/** Errors that only say that there is one further in. */
const wrappers: readonly string[] = [
  ...['$ref', 'allOf', 'if', 'dependentSchemas', 'items', 'prefixItems', 'unevaluatedItems'],
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
];
/** Errors that stand for those of their branches: none of them fits. */
const choices: readonly string[] = ['anyOf', 'oneOf', 'contains', 'minContains'];
const unsupported = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', 'dependencies'] as const;

type Read = { readonly json: unknown } | { readonly fault: Fault };

/** Whether it goes deeper than `left` levels. It is asked before anything that calls itself walks through it. */
const deeper = (json: unknown, left: number): boolean =>
  typeof json === 'object' && json !== null && (left === 0 || Object.values(json).some((inner) => deeper(inner, left - 1)));

/** The text as JSON, or why it is none that is looked at. */
function read(text: string): Read {
  const whole = (detail: string): Read => ({ fault: { pointer: '', detail } });
  if (text.length > jsonTextMax) return whole(`${text.length} characters; at most ${jsonTextMax} are read`);
  try {
    const json: unknown = JSON.parse(text);
    return deeper(json, jsonDepthMax) ? whole(`nested deeper than ${jsonDepthMax} levels`) : { json };
  } catch (error) {
    return whole(`not JSON: ${(error as Error).message}`);
  }
}

/**
 * What the work gives, if it comes to an end in time; else it is stopped, wherever it is. The time is the wall's, and the machine may have been busy
 * elsewhere: what ran out of it is tried once more.
 */
function watched<T>(work: () => T): T {
  const once = (): T => new Script('work()').runInContext(createContext({ work }), { timeout: checkMsMax }) as T;
  try {
    return once();
  } catch (error) {
    if (!isOutOfTime(error)) throw error;
    return once();
  }
}

const isOutOfTime = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const pointerOf = ({ instanceLocation }: OutputUnit): string => decodeURI(instanceLocation.slice(1));

const distinct = (faults: readonly Fault[]): readonly Fault[] =>
  [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()].slice(0, faultsMax);

/** What people are told of the validator's errors: each place once, the innermost alone. */
function faultsIn(errors: readonly OutputUnit[]): readonly Fault[] {
  const branches = new Set(
    errors
      .filter(({ keyword }) => choices.includes(keyword))
      .map(({ keywordLocation: at }) => `${at.replace(/minContains$/, 'contains')}/`),
  );
  const told = errors
    .filter(({ keyword, keywordLocation: at }) => !wrappers.includes(keyword) && ![...branches].some((branch) => at.startsWith(branch)))
    .map((unit) => ({
      pointer: pointerOf(unit),
      detail: unit.keyword === 'false' ? 'Nothing is allowed here.' : unit.error.slice(0, 300),
    }));
  return distinct(told);
}

/** Why a check came to no end: thrown by the validator, by the stack, or by the watch. */
function unfinished(error: unknown): readonly Fault[] {
  const because =
    error instanceof RangeError
      ? 'its schema refers to itself without end, or to too much'
      : isOutOfTime(error)
        ? `it takes longer than ${checkMsMax} ms: a pattern or a reference of its schema costs too much`
        : String((error as Error).message).split('\n')[0];
  return [{ pointer: '', detail: `cannot be checked: ${because}` }];
}

function check(schema: unknown, data: unknown, length: number): readonly Fault[] {
  const work = () => faultsIn(new Validator(schema as Schema, '2020-12', false).validate(data).errors);
  try {
    return length < quickMax && !costly.test(JSON.stringify(schema)) ? work() : watched(work);
  } catch (error) {
    return unfinished(error);
  }
}

/** References of a schema that lead out of it, and keywords that this validator would pass over in silence. */
function misled(schema: Schema): readonly Fault[] {
  const within = dereference(schema);
  const at = (uri: string, inner: Schema): readonly Fault[] => {
    const pointer = decodeURI(uri.slice(uri.indexOf('#') + 1) || '').replace(/^[^/].*/, '');
    const unknown = unsupported.filter((keyword) => Object.hasOwn(inner, keyword));
    return [
      ...(inner.$ref !== undefined && within[inner.__absolute_ref__ ?? inner.$ref] === undefined
        ? [{ pointer: `${pointer}/$ref`, detail: `"${inner.$ref}" is not in this schema, and none is fetched.` }]
        : []),
      ...unknown.map((keyword) => ({ pointer: `${pointer}/${keyword}`, detail: 'This keyword is not supported.' })),
    ];
  };
  return Object.entries(within).flatMap(([uri, inner]) => (typeof inner === 'object' ? at(uri, inner) : []));
}

/**
 * What keeps a text from being a JSON Schema of draft 2020-12, all at once: as many as `faultsMax`. It has to be whole in itself: a reference that
 * leads out of it is a fault, since nothing is ever fetched.
 */
export function faultsOfSchema(schemaText: string): readonly Fault[] {
  const schema = read(schemaText);
  if ('fault' in schema) return [schema.fault];
  const faults = check(structuredClone(schemaOfSchemas), schema.json, Number.POSITIVE_INFINITY);
  if (faults.length > 0 || typeof schema.json === 'boolean') return faults;
  try {
    return distinct(misled(schema.json as Schema));
  } catch (error) {
    return unfinished(error);
  }
}

/**
 * What keeps a text from fitting a schema, all at once: as many as `faultsMax`. The schema is one that `faultsOfSchema` finds nothing wrong with.
 * Formats that the draft knows are checked.
 */
export function faultsOf(schemaText: string, dataText: string): readonly Fault[] {
  const data = read(dataText);
  return 'fault' in data ? [data.fault] : check(JSON.parse(schemaText), data.json, schemaText.length * dataText.length);
}
