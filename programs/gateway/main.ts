import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { withBearer } from '../../lib/api/bearer.ts';
import { apiClient, Unreachable } from '../../lib/api/client.ts';
import { printable } from '../../lib/core/printable.ts';
import { type EpochMs, secondMs } from '../../lib/core/time.ts';
import { exitCodes, runCommandLine, Unusable } from '../../lib/machine/command-line.ts';
import { faultOfEndpoint, isLoopback } from '../../lib/machine/endpoint.ts';
import type { Listening } from '../../lib/machine/listening.ts';
import { readGivenFile } from '../../lib/machine/own.ts';
import { Circuits } from '../../lib/uyuni/gateway/circuits.ts';
import type { Directory, GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import { type ActionNumbers, actionsInMemory } from './action-numbers.ts';
import { actionsOfMuster } from './actions-of-muster.ts';
import type { Clock } from './deadline.ts';
import { gatewayOf } from './gateway.ts';
import { whatKeyMay } from './key-of-muster.ts';
import { type CallNode, nodeCalls } from './node-calls.ts';
import { directoryIn } from './nodes-file.ts';
import { directoryFrom, NotTold } from './nodes-of-muster.ts';
import { accountIn, NumbersOfNodes } from './numbers-of-nodes.ts';
import { type GatewayOptions, gatewayProgram } from './options.ts';
import { type Seats, seatNamed, seatsOfMuster } from './seats.ts';
import { serve } from './server.ts';
import { sessionsInMemory } from './sessions.ts';

const clock: Clock = {
  now: () => Date.now() as EpochMs,
  after: (waitMs, then) => {
    const timer = setTimeout(then, waitMs);
    return () => clearTimeout(timer);
  },
};

/** How long Muster may take for the number of an action: somebody waits for it. */
const actionsLimitMs = 10 * secondMs;

const say = (line: string): void => void process.stderr.write(`muster-gateway: ${printable(line)}\n`);

/** The gateway as a program: the only file here with a clock and timers of its own. */
const program = gatewayProgram(run);

async function run(options: GatewayOptions): Promise<void> {
  const tls = tlsOf(options);
  const calls = nodeCalls(options.caCertificate === undefined ? undefined : readFileSync(options.caCertificate, 'utf8'));
  const { read, actions, seatsBy, keyMay } = sourcesOf(options, calls.call);
  let directory = await firstDirectory(read);
  if (!directory) return calls.close();
  if (keyMay) say(await keyMay());
  const gateway = gatewayOf({
    call: calls.call,
    circuits: new Circuits(clock.now),
    sessions: sessionsInMemory(clock.now, randomBytes),
    clock,
    deadlineMs: options.deadline * secondMs,
    directory: () => directory as Directory,
    seats: seatsBy(() => directory as Directory),
    actions,
  });
  const served = await serve(gateway, {
    bind: options.bind,
    port: options.port,
    ...(tls && { tls }),
    deadlineMs: options.deadline * secondMs,
    strict: options.strict ?? false,
    clock,
    say,
  });
  const address = options.bind.includes(':') ? `[${options.bind}]` : options.bind;
  // Signals are heard from here on: a program that reads the line below may send one.
  const ended = untilEnded(served, options, async () => {
    const before = namesOf(directory as Directory);
    directory = await read();
    if (namesOf(directory) !== before) say(`answers for ${namesOf(directory)} now`);
  });
  say(`answers at ${tls ? 'https' : 'http'}://${address}:${served.port}/rpc/api for ${namesOf(directory)}`);
  await ended;
  calls.close();
}

const namesOf = (directory: Directory): string =>
  directory
    .nodes()
    .map(({ name, isUp }) => (isUp ? name : `${name} (down)`))
    .join(', ') || 'no server';

/** How the directory is read, what gives numbers of actions, and what tells how far the key of Muster goes. */
type Sources = {
  readonly read: () => Promise<Directory>;
  readonly actions: ActionNumbers;
  /** On which server common content is edited, by the directory of the moment. */
  readonly seatsBy: (directory: () => Directory) => Seats;
  readonly keyMay?: () => Promise<string>;
};

/** What the gateway knows its cluster from. Ends the program where the options do not say it. */
function sourcesOf(options: GatewayOptions, call: CallNode): Sources {
  const { nodes, endpoint, insecure, account, seat } = options;
  const named = (): Seats => seatNamed(seat);
  if (nodes !== undefined) return { read: async () => directoryIn(nodes), actions: actionsInMemory(clock.now), seatsBy: named };
  if (endpoint === undefined) return program.error('error: give --endpoint, the address of Muster, or --nodes');
  const fault = faultOfEndpoint(endpoint, insecure);
  if (fault !== undefined) return program.error(`error: ${fault}`);
  const token = (options.tokenFile === undefined ? process.env['MUSTER_TOKEN'] : readGivenFile(options.tokenFile))?.trim();
  if (!token) return program.error('error: give --token-file, the file with an API key with the scope number, or set MUSTER_TOKEN');
  const numbers = account === undefined ? undefined : new NumbersOfNodes({ account: accountIn(account), call, clock, say });
  const wanted = {
    zone: options.zone,
    urls: new Map(options.nodeUrl),
    serverIds: new Map(options.serverId),
    numbersOf: numbers && ((all: readonly GatewayNode[]) => numbers.of(all)),
  };
  const fetching = withBearer(() => token);
  const muster = apiClient(endpoint, { fetching });
  const hurried = apiClient(endpoint, { fetching, timeoutMs: actionsLimitMs });
  return {
    read: () => directoryFrom(muster, wanted),
    actions: actionsOfMuster(hurried, clock),
    seatsBy: seat === undefined ? (directory) => seatsOfMuster(hurried, { directory, clock, say }) : named,
    keyMay: () => whatKeyMay(hurried),
  };
}

/** Certificate and key. Ends the program where passwords would travel in the clear. */
function tlsOf({ bind, certificate, key, behindProxy }: GatewayOptions): { cert: string; key: string } | undefined {
  if ((certificate === undefined) !== (key === undefined)) return program.error('error: --certificate and --key go together');
  if (certificate !== undefined && key !== undefined) return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  const isHere = isLoopback(`http://${bind.includes(':') ? `[${bind}]` : bind}`);
  if (!isHere && !behindProxy)
    return program.error(
      `error: on ${bind} passwords would travel in the clear: give --certificate and --key, or --behind-proxy where a proxy ends TLS`,
    );
  return undefined;
}

/** The first directory; without one there is nothing to answer for. */
async function firstDirectory(read: () => Promise<Directory>): Promise<Directory | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isExpected(error)) throw error;
    if (error instanceof Unusable) throw error;
    say(error.message);
    process.exitCode = exitCodes.unreachable;
    return undefined;
  }
}

const isExpected = (error: unknown): error is Error =>
  error instanceof Unreachable || error instanceof NotTold || error instanceof Unusable;

/** Reads the directory anew from time to time, until a signal ends the program. What cannot be read stays as it was. */
async function untilEnded(served: Listening, { refresh, nodes }: GatewayOptions, reread: () => Promise<void>): Promise<void> {
  const ended = new AbortController();
  const again = async (): Promise<void> => {
    try {
      await reread();
    } catch (error) {
      if (!isExpected(error)) throw error;
      say(`the nodes are as they were before: ${error.message}`);
    }
  };
  process.on('SIGHUP', () => void again());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  while (!ended.signal.aborted) {
    await pause(nodes === undefined ? refresh * secondMs : 2 ** 31 - 1, undefined, { signal: ended.signal }).catch(() => undefined);
    if (!ended.signal.aborted && nodes === undefined) await again();
  }
  await served.close();
}

process.exit(await runCommandLine(program, process.argv));
