import type { Signature } from '../api/methods.ts';
import type { Fault } from '../xml-rpc/value.ts';
import { formOf } from './forms.ts';
import { jsonText, typedInJson, typedInQuery } from './json-values.ts';
import type { Typed } from './typed.ts';

/** Where the JSON interface of a server is; after it come the parts of a method's name. */
export const jsonRoot = '/rhn/manager/api/';

/** What the JSON interface answers without a session; the rest of what needs none by XML-RPC needs one there. */
const open: ReadonlySet<string> = new Set([
  ...['api.getVersion', 'api.getApiCallList', 'api.systemVersion', 'api.getApiNamespaces', 'api.productName'],
  'org.createFirst',
]);

/** Whether a method needs no session. */
export const isOpen = (method: string): boolean => open.has(method);

/** The largest depth and number of values of a body, as of calls by XML-RPC. */
const bodyLimits = { depthMax: 200, valuesMax: 150_000 };

/** A call cannot be read; `fault` is the answer. */
export class NotJsonCall extends Error {
  override readonly name = 'NotJsonCall';
  readonly fault: Fault;
  constructor(status: number, text: string, options?: ErrorOptions) {
    super(text, options);
    this.fault = { code: -1, text: status === 500 ? JSON.stringify({ message: text }) : text, http: { status } };
  }
}

/**
 * A call of the JSON interface. `name` is the method, such as `system.config.listChannels`; `args` are its arguments by
 * their names. `asSent` are those of the query, as they were written there.
 */
export type JsonCall = {
  readonly verb: 'GET' | 'POST';
  readonly name: string;
  readonly args: ReadonlyMap<string, Typed>;
  readonly asSent: ReadonlyMap<string, readonly string[]>;
  readonly hasBody: boolean;
};

/** What a request is made of: its path after the root, its query without the mark, and its body. */
export type JsonRequest = { readonly verb: 'GET' | 'POST'; readonly path: string; readonly query: string; readonly body: Uint8Array };

/** Whether the path after the root may be that of a method. */
export const isMethodPath = (path: string): boolean => /^[\w-]+(\/[\w-]+)*$/.test(path) && path.length <= 200;

/** The method at a path. */
export const methodAt = (path: string): string => path.replaceAll('/', '.');

/** The call in a request. Throws {@link NotJsonCall} for any other. */
export function readJsonCall({ verb, path, query, body }: JsonRequest): JsonCall {
  const asSent = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) asSent.set(name, [...(asSent.get(name) ?? []), value]);
  const args = new Map<string, Typed>();
  for (const [name, values] of asSent) {
    const items = values.map(fromQuery);
    args.set(name, items.length === 1 && items[0] ? items[0] : { type: 'array', items });
  }
  for (const [name, value] of bodyIn(body)) args.set(name, value);
  return { verb, name: methodAt(path), args, asSent, hasBody: body.length > 0 };
}

function fromQuery(text: string): Typed {
  const value = typedInQuery(text);
  if (!('text' in value)) throw new NotJsonCall(400, 'Complex types are not allowed in query string');
  return value;
}

function bodyIn(body: Uint8Array): readonly (readonly [string, Typed])[] {
  if (body.length === 0) return [];
  let value: Typed;
  try {
    value = typedInJson(new TextDecoder('utf-8', { fatal: true }).decode(body), bodyLimits);
  } catch (error) {
    // Servers answer a body that they cannot read with a failure of their own.
    if (error instanceof SyntaxError || error instanceof TypeError) throw new NotJsonCall(500, error.message, { cause: error });
    throw error;
  }
  if (value.type === 'nil') return [];
  if (!('members' in value)) throw new NotJsonCall(400, 'JSON body must be an object');
  return value.members;
}

/** The arguments of a call in the order of a form; without one, for a method that the table does not have. */
export type Ordered = { readonly form: Signature | undefined; readonly names: readonly string[]; readonly params: readonly Typed[] };

/** Arguments in the order in which they were sent, for a method that the table does not have. */
export const asTheyCome = ({ args }: JsonCall): Ordered => ({ form: undefined, names: [...args.keys()], params: [...args.values()] });

/**
 * The first form that has just these names, and takes these values: a single value is taken for a list of one. No two
 * forms differ by their types alone. Throws {@link NotJsonCall} where there is none.
 */
export function orderedBy(forms: readonly Signature[], { args }: JsonCall): Ordered {
  const found = forms.flatMap((form): Ordered[] => {
    const params = form.jsonNames.map((name, n) => listed(args.get(name), form.params[n]?.type ?? ''));
    if (params.length !== args.size || !params.every((one) => one !== undefined)) return [];
    return formOf([form], params) ? [{ form, names: form.jsonNames, params }] : [];
  });
  const [first] = found;
  if (!first) throw new NotJsonCall(400, 'No method exists with the matching parameters');
  return first;
}

const listed = (value: Typed | undefined, type: string): Typed | undefined =>
  value !== undefined && type.startsWith('array<') && !('items' in value) ? { type: 'array', items: [value] } : value;

/** A call as it goes on to a server: the path with its query, and the body. */
export type JsonOnward = { readonly path: string; readonly document: string };

/**
 * The same call with other arguments, in the order of `ordered`. What stayed as it was is written as it was sent; what
 * a query cannot say goes in the body, where servers look as well.
 */
export function jsonOnward(call: JsonCall, { names, params: before }: Ordered, params: readonly Typed[]): JsonOnward {
  const path = jsonRoot + call.name.replaceAll('.', '/');
  const isEmptyList = (value: Typed): boolean => 'items' in value && value.items.length === 0;
  if (call.hasBody || call.verb === 'POST' || params.some(isEmptyList)) {
    const members = params.map((value, n) => [names[n] ?? '', value] as const);
    return { path, document: params.length === 0 && !call.hasBody ? '' : jsonText({ type: 'struct', members }) };
  }
  const query = new URLSearchParams();
  params.forEach((value, n) => {
    const name = names[n] ?? '';
    const sent = value === before[n] ? call.asSent.get(name) : undefined;
    for (const text of sent ?? ('items' in value ? value.items : [value]).map(jsonText)) query.append(name, text);
  });
  return { path: query.size > 0 ? `${path}?${query}` : path, document: '' };
}
