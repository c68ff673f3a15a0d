import { join, resolve } from 'node:path';
import { InstanceId, ServiceTypeName } from '../../../lib/core/ids.ts';
import { exitCodes } from '../../../lib/machine/command-line.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { aligned, type Outcome } from '../processes/commands.ts';
import { requestBytesMax, type SocketAnswer, socketFile, tellSocket } from '../processes/launchers.ts';
import { readHeldDesired, readTable } from './disk.ts';
import type { AskGiven, FindGiven, ServiceReportGiven } from './options.ts';
import { Question } from './said.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A service may report before its agent has seen its start. It then tries again after this many ms, up to `triesMax`
 * times.
 */
const againMs = 200;
const triesMax = 25;

/** Hands a service's report to the agent that runs it, which the environment of the service names. */
export async function reportService(
  environment: Environment,
  { report }: ServiceReportGiven,
  { after }: Pick<World, 'after'>,
): Promise<Outcome> {
  const inside = insideOf(environment);
  if (!inside) return notInside;
  const { socket, service, instance } = inside;
  for (let tries = 1; ; tries += 1) {
    const answer = await tellSocket(socket, { service, instance, report });
    if (!answer || answer.ok || !answer.again || tries === triesMax)
      return answer?.ok ? { code: exitCodes.done } : refusedBy(answer, socket);
    await new Promise<void>((resolve) => void after(againMs, resolve));
  }
}

const notInside: Outcome = {
  code: exitCodes.usage,
  talk: 'run this from inside a service’s own command: its environment names the service',
};

/** The service and the agent that run this command, by its environment; undefined for a command outside a service. */
function insideOf(environment: Environment) {
  const { MUSTER_SERVICE_SOCKET: socket } = environment;
  const service = ServiceTypeName.safeParse(environment['MUSTER_SERVICE']).data;
  const instance = InstanceId.safeParse(environment['MUSTER_SERVICE_INSTANCE']).data;
  return socket === undefined || !service || !instance ? undefined : { socket, service, instance };
}

/** The exit code of the answer no. */
const noCode = 1;

/** Asks Muster a question for a service, by the agent that runs it, and prints the answer. */
export async function askMuster(environment: Environment, { question, data }: AskGiven): Promise<Outcome> {
  const inside = insideOf(environment);
  if (!inside) return notInside;
  const { socket, ...of } = inside;
  const request = Question.parse({ ...of, question, ...(data !== undefined && { data }) });
  if (JSON.stringify(request).length > requestBytesMax)
    return { code: exitCodes.usage, talk: `the question is too long: ${requestBytesMax} characters at most, with its data` };
  const answered = await tellSocket(socket, request);
  if (!answered?.ok) return refusedBy(answered, socket);
  const { answer } = answered;
  if (!answer) return { code: exitCodes.usage, talk: 'this agent does not know questions' };
  const isNo = 'yes' in answer && !answer.yes;
  return { code: isNo ? noCode : exitCodes.done, data: `${JSON.stringify(answer, undefined, 2)}\n` };
}

function refusedBy(answer: Exclude<SocketAnswer, { ok: true }> | undefined, socket: string): Outcome {
  if (!answer) return { code: exitCodes.unreachable, talk: `no agent listens on ${socket}: the request is lost` };
  return { code: answer.again ? exitCodes.busy : exitCodes.usage, talk: answer.why };
}

const foundColumns = ['NAME', 'TYPE', 'HOST', 'STATE', 'ADDRESS', 'INSTANCE'];

/** Looks up services by name at the running agent; from inside a service, at the agent that runs the service. */
export async function findServices(folder: Folder, environment: Environment, { name, json }: FindGiven): Promise<Outcome> {
  const socket = environment['MUSTER_SERVICE_SOCKET'] ?? join(resolve(folder.path), socketFile);
  const answer = await tellSocket(socket, { find: name });
  if (!answer?.ok) return refusedBy(answer, socket);
  const found = answer.found ?? [];
  if (json) return { code: exitCodes.done, data: `${JSON.stringify(found, undefined, 2)}\n` };
  const rows = found.map(({ type, host, state, address, instance }) => [name, type, host, state, address ?? '-', instance]);
  return { code: exitCodes.done, data: aligned([foundColumns, ...rows]) };
}

const columns = ['TYPE', 'INSTANCE', 'GOAL', 'STATE', 'PID', 'SINCE'];

/** The services of this host as its agent last recorded them. */
export function listServices(folder: Folder, { json }: { readonly json?: true }): Outcome {
  const table = readTable(folder);
  if (!table) return { code: exitCodes.usage, talk: `${folder.path} records no services: no agent has run any from this folder` };
  const goals = new Map(readHeldDesired(folder)?.services.map(({ service, goal }) => [service, goal]));
  const services = table.held.map(({ service, instance, is: state, life, since }) => ({
    service,
    instance,
    goal: goals.get(service) ?? 'gone',
    state,
    ...(life && { pid: life.pid, born: life.born }),
    since: new Date(since).toISOString(),
  }));
  if (json) return { code: exitCodes.done, data: `${JSON.stringify({ services }, undefined, 2)}\n` };
  const rows = services.map(({ service, instance, goal, state, pid, since }) => [
    service,
    instance,
    goal,
    state,
    String(pid ?? '-'),
    since,
  ]);
  return { code: exitCodes.done, data: aligned([columns, ...rows]) };
}
