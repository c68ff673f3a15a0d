import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { EpochMs } from '../../lib/core/time.ts';
import { Circuits } from '../../lib/uyuni/gateway/circuits.ts';
import { type Directory, directoryOf, type SystemPlace } from '../../lib/uyuni/gateway/directory.ts';
import { type Response, readResponse } from '../../lib/uyuni/xml-rpc/read.ts';
import type { Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type ActionNumbers, actionsInMemory } from '../../programs/gateway/action-numbers.ts';
import { gatewayOf } from '../../programs/gateway/gateway.ts';
import { nodeCalls } from '../../programs/gateway/node-calls.ts';
import { type Seats, seatNamed } from '../../programs/gateway/seats.ts';
import { serve } from '../../programs/gateway/server.ts';
import { type SessionLimits, sessionLimits, sessionsInMemory } from '../../programs/gateway/sessions.ts';

/** A moment that tests move; timers are the machine's own. */
export type Moving = { ms: number };

export type GatewayGiven = {
  readonly places?: readonly SystemPlace[];
  readonly down?: readonly string[];
  /** The server on which common content is edited. */
  readonly seat?: string;
  /** What tells that server instead. */
  readonly seats?: Seats;
  readonly strict?: boolean;
  readonly deadlineMs?: number;
  readonly limits?: SessionLimits;
  /** Numbers of actions; by default they are in memory. */
  readonly actions?: ActionNumbers;
};

/**
 * Places of two systems on each of these nodes, which all count from `first`: those of the first node keep their
 * numbers in the cluster, those of the next ones have 1500000010 and 1500000011, 1500000020 and so on.
 */
export const twoEach = (names: readonly string[], first: number): SystemPlace[] =>
  names.flatMap((name, n) => [0, 1].map((m) => [n === 0 ? first + m : 1_500_000_000 + 10 * n + m, name, first + m] as const));

/** A gateway in this process, on a port of loopback, before played nodes. */
export async function aGateway(
  nodes: readonly { readonly name: string; readonly url: string }[],
  {
    places = [],
    down = [],
    seat,
    seats = seatNamed(seat),
    strict = false,
    deadlineMs = 5_000,
    limits = sessionLimits,
    actions: given,
  }: GatewayGiven = {},
) {
  const said: string[] = [];
  const moved: Moving = { ms: 0 };
  const now = () => (Date.now() + moved.ms) as EpochMs;
  const clock = {
    now,
    after: (waitMs: number, then: () => void) => {
      const timer = setTimeout(then, waitMs);
      return () => clearTimeout(timer);
    },
  };
  const calls = nodeCalls(undefined);
  const actions = given ?? actionsInMemory(now);
  const made = (names: readonly string[], known: readonly string[] = nodes.map(({ name }) => name)): Directory =>
    directoryOf(
      nodes.filter(({ name }) => known.includes(name)).map(({ name, url }) => ({ name, url, isUp: !names.includes(name), isInSync: true })),
      places.filter(([, node]) => known.includes(node)),
    );
  let directory = made(down);
  const circuits = new Circuits(now);
  const sessions = sessionsInMemory(now, randomBytes, limits);
  const gateway = gatewayOf({ call: calls.call, circuits, sessions, clock, deadlineMs, directory: () => directory, seats, actions });
  const served = await serve(gateway, { bind: '127.0.0.1', port: 0, deadlineMs, strict, clock, say: (line) => said.push(line) });
  const url = `http://127.0.0.1:${served.port}`;
  return {
    url,
    said,
    moved,
    downAre: (...names: readonly string[]) => {
      directory = made(names);
    },
    knowsOnly: (...names: readonly string[]) => {
      directory = made(down, names);
    },
    send: (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) => sendTo(url, body, headers),
    call: async (method: string, ...params: readonly Value[]): Promise<Response> => (await sendTo(url, callText(method, params))).read(),
    /** The same where the names of the hub are. */
    hub: {
      send: (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) => sendTo(url, body, headers, 'POST', hubPath),
      call: async (method: string, ...params: readonly Value[]): Promise<Response> =>
        (await sendTo(url, callText(method, params), {}, 'POST', hubPath)).read(),
    },
    close: async () => {
      await served.close();
      calls.close();
    },
  };
}

export type AGateway = Awaited<ReturnType<typeof aGateway>>;

const hubPath = '/hub/rpc/api';

/** What was answered to a document: its status, headers, trailers and text. */
export type Sent = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  read(): Response;
};

/** Posts a document as programs do. */
export const sendTo = (
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
  path = '/rpc/api',
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers: { 'content-type': 'text/xml', ...headers } }, (response) => {
      response.toArray().then((parts) => {
        const bytes = Buffer.concat(parts as Buffer[]);
        const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          trailers: response.trailers,
          text,
          read: () => readResponse(text),
        });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });

/** The value of an answer. Throws an error with the fault of any other. */
export function resultOf(response: Response): Value {
  if (!response.ok) throw new Error(`fault ${response.fault.code}: ${response.fault.text}`);
  return response.value;
}
