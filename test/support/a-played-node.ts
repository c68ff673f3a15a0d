import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Call, readCall } from '../../lib/uyuni/xml-rpc/read.ts';
import { DateTime, type Fault, type Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { faultText, responseText } from '../../lib/uyuni/xml-rpc/write.ts';
import { isForJson, jsonAnswer, jsonMethodOf, sendJson } from './a-played-json.ts';

/** What a node does in place of an answer. */
export type Trouble =
  | 'hangs'
  | 'hangs in the middle'
  | 'dies in the middle'
  | 'is malformed'
  | 'lies'
  | 'is away'
  | 'closes'
  | { readonly faults: Fault };

/** An action as a node has scheduled it, for systems by their numbers there. */
export type PlayedAction = { readonly name: string; readonly systems: readonly number[] };

/** A node of a Uyuni cluster, played without a database: people, systems by their numbers there, and groups. */
export type PlayedNode = {
  readonly name: string;
  readonly url: string;
  /** What was called, without `auth.login`, and with the login of its session. */
  readonly calls: { readonly method: string; readonly params: readonly Value[]; readonly login: string | undefined }[];
  trouble: Trouble | undefined;
  /** A trouble of one method only. */
  readonly troubles: Map<string, Trouble>;
  readonly people: Map<string, string>;
  /** What it has scheduled, by its own numbers. */
  readonly actions: Map<number, PlayedAction>;
  readonly sessions: Map<string, string>;
  /** How many calls are being waited for. */
  waiting(): number;
  close(): Promise<void>;
};

class Faulted extends Error {
  readonly fault: Fault;
  constructor(code: number, text: string) {
    super(text);
    this.fault = { code, text };
  }
}

type System = { readonly id: number; readonly name: string };

/** Starts a node on a port of loopback. `systems`: the numbers of its systems there. */
export async function aPlayedNode(
  name: string,
  systems: readonly number[],
  people: Readonly<Record<string, string>> = { admin: 'secret' },
): Promise<PlayedNode> {
  const all = systems.map((id) => ({ id, name: `s${id}.${name}` }));
  let waiting = 0;
  const server = createServer((request, response) => {
    void (async () => {
      waiting++;
      response.once('close', () => waiting--);
      const body = Buffer.concat(await request.toArray()).toString('utf8');
      if (isForJson(request)) respondInJson(node, all, request, body, response);
      else respond(node, all, readCall(body), response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: PlayedNode = {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    trouble: undefined,
    troubles: new Map(),
    people: new Map(Object.entries(people)),
    actions: new Map([[3, { name: 'from its own page', systems: systems.slice(0, 1) }]]),
    sessions: new Map(),
    waiting: () => waiting,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return node;
}

/** A fault, or what is no fault of a method. */
function faultOf(error: unknown): Fault {
  if (!(error instanceof Faulted)) throw error;
  return error.fault;
}

function respondInJson(
  node: PlayedNode,
  systems: readonly System[],
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const trouble = node.troubles.get(jsonMethodOf(request)) ?? node.trouble;
  const send = (text: string) => sendJson(response, { status: 200, text });
  if (trouble === 'hangs') return;
  if (trouble === 'closes') return void response.destroy();
  if (trouble === 'is away') return void response.writeHead(503).end('<html>away</html>');
  if (trouble === 'is malformed') return void send('{"success":true,"result":[{"id":}]}');
  if (trouble === 'lies') return void send('{"success":true,"result":"there is nothing here"}');
  if (typeof trouble === 'object') return void send(JSON.stringify({ success: false, message: trouble.faults.text }));
  const answered = jsonAnswer(
    {
      login: (key) => node.sessions.get(key),
      begin: (login, password) => begin(node, [login, password]),
      answer: (call) => answer(node, systems, call),
      faultOf,
    },
    request,
    body,
  );
  if (trouble === undefined) return void sendJson(response, answered);
  breakOff(response, answered.text, trouble);
}

/** Sends half of an answer; then the node says nothing more, or dies. */
function breakOff(response: ServerResponse, text: string, trouble: Trouble): void {
  response.writeHead(200, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => (trouble === 'dies in the middle' ? response.destroy() : undefined));
}

function respond(node: PlayedNode, systems: readonly System[], call: Call, response: ServerResponse): void {
  const trouble = node.troubles.get(call.method) ?? node.trouble;
  const send = (text: string) => response.writeHead(200, { 'content-type': 'text/xml' }).end(text);
  if (trouble === 'hangs') return;
  if (trouble === 'closes') return void response.destroy();
  if (trouble === 'is away') return void response.writeHead(503).end('<html>away</html>');
  if (trouble === 'is malformed')
    return void send('<?xml version="1.0"?><methodResponse><params><param><value><array><data><value></int></value>');
  if (trouble === 'lies') return void send(responseText('there is nothing here'));
  if (typeof trouble === 'object') return void send(faultText(trouble.faults));
  let text: string;
  try {
    text = responseText(answer(node, systems, call));
  } catch (error) {
    text = faultText(faultOf(error));
  }
  if (trouble === undefined) return void send(text);
  breakOff(response, text, trouble);
}

function answer(node: PlayedNode, systems: readonly System[], { method, params }: Call): Value {
  if (method === 'auth.login') return begin(node, params);
  if (method === 'api.getVersion') return '29';
  const [key, ...rest] = params;
  const login = node.sessions.get(String(key).trim());
  node.calls.push({ method, params: login === undefined ? params : rest, login });
  if (login === undefined)
    throw new Faulted(-1, `unhandled internal exception: Could not find session with id: ${String(key).split('x')[0]}`);
  return played(node, systems, method, rest, String(key).trim());
}

/** Sessions that played nodes have begun: none has the key of one before. */
let begun = 0;

function begin(node: PlayedNode, [login, password]: readonly Value[]): string {
  if (node.people.get(String(login)) !== password) throw new Faulted(2950, 'Either the password or username is incorrect.');
  begun += 1;
  const key = `${begun}x${createHash('sha256').update(`${node.name} ${begun}`).digest('hex')}`;
  node.sessions.set(key, String(login));
  return key;
}

const shown = ({ id, name }: System): Value => ({ id, name, last_checkin: new DateTime('20310501T12:00:00') });

/** An action with a number that depends on its systems alone, so that a call can be compared with another one. */
function scheduled(node: PlayedNode, name: string, id: number, systems: readonly number[]): number {
  node.actions.set(id, { name, systems });
  return id;
}

/** Methods about actions; undefined for any other. */
function aboutActions(node: PlayedNode, method: string, params: readonly Value[]): Value | undefined {
  const action = (id: Value | undefined): PlayedAction => {
    const found = node.actions.get(id as number);
    if (!found) throw new Faulted(2700, `Could not find action with id: ${String(id)}`);
    return found;
  };
  const ofSystems = (id: Value | undefined) => action(id).systems.map((sid) => ({ serverId: sid, output: `done on ${node.name}` }));
  switch (method) {
    case 'schedule.listAllActions':
    case 'schedule.listInProgressActions':
      return [...node.actions].map(([id, { name, systems }]) => ({
        ...{ id, name, completedSystems: 0, failedSystems: 0, inProgressSystems: systems.length },
      }));
    case 'schedule.listInProgressSystems':
      return action(params[0]).systems.map((sid) => ({ server_id: sid, server_name: `s${sid}.${node.name}` }));
    case 'schedule.failSystemAction':
      return action(params[1]).systems.includes(params[0] as number) ? 1 : 0;
    case 'schedule.cancelActions':
      for (const id of params[0] as number[]) action(id);
      for (const id of params[0] as number[]) node.actions.set(id, { ...action(id), systems: [] });
      return 1;
    case 'system.getScriptResults':
      return ofSystems(params[0]);
    case 'system.getScriptActionDetails':
      return { id: params[0] ?? 0, content: 'uptime', result: ofSystems(params[0]) };
    default:
      return undefined;
  }
}

function played(node: PlayedNode, systems: readonly System[], method: string, params: readonly Value[], key: string): Value {
  const known = (id: Value | undefined): System => {
    const found = systems.find((one) => one.id === id);
    if (!found) throw new Faulted(-208, `No such system - sid[${String(id)}]`);
    return found;
  };
  const ofActions = aboutActions(node, method, params);
  if (ofActions !== undefined) return ofActions;
  switch (method) {
    case 'auth.logout':
      node.sessions.delete(key);
      return 1;
    case 'system.listSystems':
    case 'system.list_systems':
      return systems.map(shown);
    case 'system.searchByName':
    case 'system.getId':
    case 'system.search.hostname':
    case 'system.search.ip':
      return systems.filter(({ name }) => name.includes(String(params[0]))).map(shown);
    case 'system.getDetails':
      return { ...(shown(known(params[0])) as object), node: node.name };
    case 'system.listActiveSystemsDetails':
      return (params[0] as number[]).map((id) => shown(known(id)));
    case 'system.getUuid':
      return `uuid-of-${known(params[0]).id}`;
    case 'system.getCpu':
      return { arch: 'x86_64', count: known(params[0]).id > 0 ? 4 : 0, model: 'Neoverse' };
    case 'system.getNetwork':
      return { hostname: known(params[0]).name, ip: '10.0.0.1' };
    case 'system.getInstalledProducts':
    case 'system.config.listChannels':
      return [{ name: 'SLES', isBaseProduct: true, of: known(params[0]).name }];
    case 'system.getEventHistory':
      return [{ id: 7, summary: `reboot of ${known(params[0]).name}`, completed: new DateTime('20310501T12:00:00') }];
    case 'system.getEventDetails':
      return { id: params[1] ?? 0, summary: known(params[0]).name };
    case 'system.getRelevantErrata':
    case 'system.getUnscheduledErrata':
      return [{ id: 31, advisory_name: 'SUSE-1', advisory_type: 'Security Advisory', of: known(params[0]).name }];
    case 'errata.listCves':
      return ['CVE-2031-0001'];
    case 'errata.findByCve':
      return [{ id: 31, advisory_name: 'SUSE-1' }];
    case 'errata.listAffectedSystems':
    case 'system.listSuggestedReboot':
    case 'systemgroup.listSystemsMinimal':
      return systems.map(({ id, name }) => ({ id, name }));
    case 'activationkey.listActivationKeys':
      return [{ key: '1-web', description: 'web' }];
    case 'system.scheduleApplyErrata':
      return [scheduled(node, 'patches', 7_000 + known(params[0]).id, [known(params[0]).id])];
    case 'system.scheduleChangeChannels':
      return (params[0] as number[]).map((id) => scheduled(node, 'channels', 8_000 + known(id).id, [id]));
    case 'system.deleteSystem':
      return known(params[0]) && 1;
    case 'system.bootstrapWithPrivateSshKey':
      return 1;
    case 'systemgroup.addOrRemoveSystems':
      for (const id of params[1] as number[]) known(id);
      return 1;
    case 'system.scheduleReboot':
      return scheduled(node, 'reboot', 7_000 + known(params[0]).id, [known(params[0]).id]);
    case 'system.scheduleApplyHighstate':
      for (const id of params[0] as number[]) known(id);
      return scheduled(node, 'highstate', 4, params[0] as number[]);
    case 'system.deleteSystems':
      for (const id of params[0] as number[]) known(id);
      return 1;
    case 'system.getMinionIdMap':
      return Object.fromEntries(systems.map(({ id, name }) => [name, id]));
    case 'systemgroup.listAllGroups':
      return [{ id: node.name.length, name: 'web', description: '', system_count: systems.length, org_id: 1 }];
    case 'systemgroup.getDetails':
      return { id: 1, name: 'web', description: '', system_count: systems.length, org_id: 1 };
    case 'channel.software.listArches':
      return [{ name: node.name, label: 'channel-x86_64' }];
    case 'user.getDetails':
      return { first_name: node.name, '<&>': 'a & b' };
    case 'systemgroup.create':
      return { id: 9, name: String(params[0]) };
    case 'echo.getAll':
      return params;
    default:
      throw new Faulted(-1, `Could not find method: ${method}`);
  }
}
