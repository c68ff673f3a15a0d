import { readsByName } from '../../lib/uyuni/api/common-writes.ts';
import { methods } from '../../lib/uyuni/api/methods.ts';
import type { Directory } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import {
  asTheyCome,
  isMethodPath,
  isOpen,
  type JsonCall,
  type JsonRequest,
  jsonOnward,
  jsonRoot,
  methodAt,
  NotJsonCall,
  type Ordered,
  orderedBy,
  readJsonCall,
} from '../../lib/uyuni/gateway/json-call.ts';
import { gatewayOpenApi } from '../../lib/uyuni/gateway/openapi.ts';
import { routeOf, routeOfUnknown } from '../../lib/uyuni/gateway/route.ts';
import { hasNumbers, type Typed } from '../../lib/uyuni/gateway/typed.ts';
import type { Fault } from '../../lib/uyuni/xml-rpc/value.ts';
import { type Asked, asTheOnlyOne, carriedOut } from './carrying-out.ts';
import type { Handled, Manner, Parts } from './gateway.ts';
import { handledJsonSession, isOfSessions, sessionCookies } from './json-sessions.ts';
import { faulty, type GatewayAnswer, whole } from './merging.ts';
import type { Outgoing } from './node-calls.ts';
import { plannedOf } from './planning.ts';
import { jsonReplies, type Replies } from './replies.ts';
import type { GatewaySession } from './sessions.ts';

/** A request of the JSON interface by the person whose session has this key; undefined for a request without any. */
export async function handledJson(parts: Parts, request: JsonRequest, key: string | undefined, manner: Manner): Promise<Handled> {
  const directory = parts.directory();
  const method = methodAt(request.path);
  const writes = request.verb === 'POST';
  if (isOpenApi(request)) return { method, writes, answer: whole(jsonReplies(), openApiText()) };
  const failed = (fault: Fault): Handled => ({ method, writes, answer: faulty(jsonReplies(), fault) });
  if (!isMethodPath(request.path)) return { writes, answer: faulty(jsonReplies(), faults.notThere('There is no method at this path.\n')) };
  if (isOfSessions(request)) return handledJsonSession(parts, directory, request, key, manner);
  if (directory.nodes().length === 0) return failed(faults.nobody('the cluster has none'));
  const session = key === undefined ? undefined : await parts.sessions.find(key);
  if (!session && !isOpen(method)) return failed(faults.noSuchSession(key ?? ''));
  const replies = jsonReplies(session && key !== undefined ? sessionCookies(key) : []);
  const answer = await routed(parts, directory, { request, session, replies }, manner);
  return { method, writes, ...(session && { login: session.login }), answer };
}

const isOpenApi = ({ verb, path }: JsonRequest): boolean => verb === 'GET' && path === 'openapi.json';

let openApi: string | undefined;
/** The description of the interface: made once, by who asks for it first. */
const openApiText = (): string => {
  openApi ??= JSON.stringify(gatewayOpenApi());
  return openApi;
};

type Known = { readonly request: JsonRequest; readonly session: GatewaySession | undefined; readonly replies: Replies };

async function routed(parts: Parts, directory: Directory, known: Known, manner: Manner): Promise<GatewayAnswer> {
  const only = parts.isAlone ? directory.nodes()[0] : undefined;
  if (only) {
    const { path, query, body } = known.request;
    const sent = { path: `${jsonRoot}${path}${query === '' ? '' : `?${query}`}`, document: Buffer.from(body) };
    return asTheOnlyOne(
      parts,
      only,
      [],
      askedOf(known, manner, () => sent),
    );
  }
  try {
    return await routedToSeveral(parts, directory, known, manner);
  } catch (error) {
    if (!(error instanceof NotJsonCall)) throw error;
    return faulty(known.replies, error.fault);
  }
}

async function routedToSeveral(parts: Parts, directory: Directory, known: Known, manner: Manner): Promise<GatewayAnswer> {
  const { request, replies } = known;
  const call = readJsonCall(request);
  const ordered = orderedOf(call);
  if (!ordered) return faulty(replies, faults.notThere(`There is no method ${call.verb} ${call.name}.\n`));
  const { form, params } = ordered;
  if (call.name.startsWith('auth.')) return faulty(replies, faults.notThere(`There is no method ${call.name}.\n`));
  const route = form ? routeOf(call.name, form) : routeOfUnknown(call.name, call.verb === 'POST' || hasNumbers(params));
  if (route.to === 'gateway') throw new Error(`${call.name} is answered before`);
  if (!form && route.to === 'refused') return faulty(replies, faults.notThere(`${faults.unsupported(call.name, route.why).text}\n`));
  const plan = await plannedOf(
    parts,
    route,
    { name: call.name, form, params },
    { directory, login: known.session?.login ?? '', signal: manner.signal },
  );
  const asked = askedOf(known, manner, (given) => jsonOnward(call, ordered, given));
  return carriedOut(parts, directory, { plan, asked }, manner);
}

/** The arguments in the order of the form that is meant; undefined for a method that there is not by this verb. */
function orderedOf(call: JsonCall): Ordered | undefined {
  const forms = methods.get(call.name);
  if (!forms) return asTheyCome(call);
  const own = forms.filter(({ reads }) => reads === (call.verb === 'GET'));
  return own.length === 0 ? undefined : orderedBy(own, call);
}

type Sent = { readonly path: string; readonly document: string | Uint8Array };

function askedOf({ request, session, replies }: Known, manner: Manner, onward: (params: readonly Typed[]) => Sent): Asked {
  const name = methodAt(request.path);
  const { verb } = request;
  const reads = verb === 'GET' && (methods.get(name)?.some((form) => form.reads) ?? readsByName(name));
  const outgoing = (params: readonly Typed[], key: string | undefined): Outgoing => {
    const { path, document } = onward(params);
    return { document, reads, json: { verb, path, key } };
  };
  const { deadlineMs, signal } = manner;
  return { name, reads, login: session?.login ?? '', replies, question: { outgoing, session, deadlineMs, signal } };
}
