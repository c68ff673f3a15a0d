import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from '../../lib/uyuni/xml-rpc/read.ts';
import { DateTime, type Fault, type Value } from '../../lib/uyuni/xml-rpc/value.ts';

/** What the JSON interface of a played node stands on: sessions, how people sign in, and what methods answer. */
export type Behind = {
  login(key: string): string | undefined;
  begin(login: Value, password: Value): string;
  answer(call: Call): Value;
  faultOf(error: unknown): Fault;
};

const root = '/rhn/manager/api/';

/** The methods that are played: how each is called, and the names of its arguments, in the order of XML-RPC. */
const methods: Readonly<Record<string, readonly [verb: 'GET' | 'POST', ...forms: readonly string[]]>> = {
  'api/getVersion': ['GET', ''],
  'system/listSystems': ['GET', ''],
  'system/listSuggestedReboot': ['GET', ''],
  'system/getDetails': ['GET', 'sid'],
  'system/getUuid': ['GET', 'sid'],
  'system/getCpu': ['GET', 'sid'],
  'system/getNetwork': ['GET', 'sid'],
  'system/getInstalledProducts': ['GET', 'sid'],
  'system/getEventHistory': ['GET', 'sid', 'sid,offset,limit', 'sid,earliestDate,offset,limit'],
  'system/getEventDetails': ['GET', 'sid,eid'],
  'system/getId': ['GET', 'name'],
  'system/search/hostname': ['GET', 'searchTerm'],
  'system/search/ip': ['GET', 'searchTerm'],
  'system/getRelevantErrata': ['GET', 'sid', 'sids'],
  'system/getUnscheduledErrata': ['GET', 'sid'],
  'system/listActiveSystemsDetails': ['GET', 'sids'],
  'system/getMinionIdMap': ['GET', ''],
  'system/config/listChannels': ['GET', 'sid'],
  'system/scheduleReboot': ['POST', 'sid,earliestOccurrence'],
  'system/scheduleApplyErrata': ['POST', 'sid,errataIds', 'sid,errataIds,allowModules'],
  'system/scheduleApplyHighstate': ['POST', 'sids,earliestOccurrence,test'],
  'system/bootstrapWithPrivateSshKey': ['POST', 'host,sshPort,sshUser,sshPrivKey,sshPrivKeyPass,activationKey,saltSSH'],
  'system/deleteSystem': ['POST', 'sid', 'sid,cleanupType'],
  'system/deleteSystems': ['POST', 'sids'],
  'errata/findByCve': ['GET', 'cveName'],
  'errata/listCves': ['GET', 'advisoryName'],
  'errata/listAffectedSystems': ['GET', 'advisoryName'],
  'schedule/listAllActions': ['GET', ''],
  'schedule/listInProgressSystems': ['GET', 'actionId'],
  'schedule/cancelActions': ['POST', 'actionIds'],
  'activationkey/listActivationKeys': ['GET', ''],
  'channel/software/listArches': ['GET', ''],
  'systemgroup/listAllGroups': ['GET', ''],
  'systemgroup/getDetails': ['GET', 'systemGroupId', 'systemGroupName'],
  'systemgroup/listSystemsMinimal': ['GET', 'systemGroupName'],
  'systemgroup/create': ['POST', 'name,description'],
  'systemgroup/addOrRemoveSystems': ['POST', 'systemGroupName,serverIds,add'],
};
const lists: ReadonlySet<string> = new Set(['sids', 'serverIds', 'errataIds', 'actionIds']);

/** Whether a request is for the JSON interface. */
export const isForJson = ({ url = '' }: IncomingMessage): boolean => url.startsWith(root);

/** The method that a request is for, as XML-RPC names it. */
export const jsonMethodOf = ({ url = '' }: IncomingMessage): string =>
  new URL(url, 'http://node').pathname.slice(root.length).replaceAll('/', '.');

/** What a node answers: its status, document and cookies. */
export type JsonAnswer = { readonly status: number; readonly text: string; readonly cookies?: readonly string[] };

const cookie = (value: string, age: number): string => `pxt-session-cookie=${value}; Max-Age=${age}; Path=/; Secure; HttpOnly`;
const failure = (message: string): JsonAnswer => ({ status: 200, text: JSON.stringify({ success: false, message }) });

/** The answer to a request, as a server gives it. */
export function jsonAnswer(behind: Behind, request: IncomingMessage, body: string): JsonAnswer {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
  const path = pathname.slice(root.length);
  const key = /pxt-session-cookie=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  if (request.method === 'POST' && (path === 'login' || path === 'auth/login')) return signIn(behind, body);
  if (behind.login(key) === undefined && path !== 'api/getVersion') return { status: 401, text: '', cookies: [cookie('', 0)] };
  if (path === 'auth/logout') {
    behind.answer({ method: 'auth.logout', params: [key] });
    return { status: 200, text: '{"success":true}', cookies: [cookie('', 0)] };
  }
  const [verb, ...forms] = methods[path] ?? [];
  if (verb !== request.method) return { status: 403, text: '<html>Forbidden</html>' };
  return called(behind, { path, forms, key, searchParams, body });
}

function signIn(behind: Behind, body: string): JsonAnswer {
  const { login, password } = JSON.parse(body) as Readonly<Record<string, Value>>;
  try {
    const key = behind.begin(login ?? '', password ?? '');
    return { status: 200, text: '{"success":true}', cookies: [cookie('', 0), cookie(key, 3_600)] };
  } catch (error) {
    return { ...failure(behind.faultOf(error).text), status: 401 };
  }
}

type Called = {
  readonly path: string;
  readonly forms: readonly string[];
  readonly key: string;
  readonly searchParams: URLSearchParams;
  readonly body: string;
};

function called(behind: Behind, { path, forms, key, searchParams, body }: Called): JsonAnswer {
  let args: Readonly<Record<string, Value>>;
  try {
    args = { ...queryIn(searchParams), ...((body === '' ? {} : JSON.parse(body)) as object) };
  } catch (error) {
    return { status: 500, text: JSON.stringify({ message: (error as Error).message }) };
  }
  const given = Object.keys(args).sort().join(',');
  const form = forms.find((one) => one.split(',').toSorted().join(',') === given);
  if (form === undefined) return { status: 400, text: 'No method exists with the matching parameters' };
  const params = form === '' ? [] : form.split(',').map((name) => convertedFor(name, args[name] ?? null));
  if (params.some((one) => typeof one === 'number' && Number.isNaN(one)))
    return { status: 400, text: 'No method exists with the matching parameters' };
  try {
    const result = behind.answer({ method: path.replaceAll('/', '.'), params: path === 'api/getVersion' ? [] : [key, ...params] });
    return {
      status: 200,
      text: JSON.stringify({ success: true, result }, (_name, one: unknown) => inJson(one)),
      cookies: [cookie(key, 3_600)],
    };
  } catch (error) {
    return failure(behind.faultOf(error).text);
  }
}

function queryIn(query: URLSearchParams): Readonly<Record<string, Value>> {
  const read = (text: string): Value => (/^(-?\d+|true|false)$/.test(text) ? (JSON.parse(text) as Value) : text.replace(/^"(.*)"$/, '$1'));
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name).map(read);
      return [name, values.length === 1 ? (values[0] ?? null) : values];
    }),
  );
}

/** An argument as a method takes it: lists of one may be written without brackets, and numbers as texts. */
function convertedFor(name: string, value: Value): Value {
  if (lists.has(name)) return Array.isArray(value) ? value : [value];
  if (/^(sid|eid|limit|offset)$/.test(name)) return Number(value);
  return name === 'earliestOccurrence' ? new DateTime(String(value)) : value;
}

/** Times are in UTC, as JSON has them. */
function inJson(value: unknown): unknown {
  if (!(value instanceof DateTime)) return value;
  return value.text.replace(/^(\d{4})(\d\d)(\d\d)T(.*)$/, '$1-$2-$3T$4Z');
}

/** Sends an answer. */
export const sendJson = (response: ServerResponse, { status, text, cookies = [] }: JsonAnswer): void =>
  void response
    .writeHead(status, { 'content-type': status === 403 ? 'text/html' : 'application/json', 'set-cookie': [...cookies] })
    .end(text);
