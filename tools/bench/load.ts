import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundTo, isInstalled, outputOf } from './report/processes.ts';

/** One call that a load makes again and again. */
export type LoadCall = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The result of a load: calls a second, and the p50 and p99 of their latency. */
export type Loaded = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

/** Connections of every load, each with one call under way. */
export const connections = 64;

/** The load generator: wrk where it is installed, because it leaves the machine to the server, else autocannon. */
export const loader = isInstalled('wrk') ? 'wrk' : 'autocannon';

/**
 * Loads a server from another process, the calls taking turns (with autocannon the first alone). `folder` is for the
 * script. Throws when a single call failed or got a status other than 2xx, because such a run is worthless.
 */
export async function load(url: string, calls: readonly LoadCall[], seconds: number, folder: string): Promise<Loaded> {
  const { errors, ...loaded } = loader === 'wrk' ? await byWrk(url, calls, seconds, folder) : await byAutocannon(url, calls[0]!, seconds);
  if (errors > 0) throw new Error(`${errors} calls to ${url} failed`);
  return loaded;
}

type Counted = Loaded & { readonly errors: number };

async function byWrk(url: string, calls: readonly LoadCall[], seconds: number, folder: string): Promise<Counted> {
  const file = join(folder, 'load.lua');
  writeFileSync(file, script(calls));
  const bound = boundTo('loading', ['wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', file, url]]);
  const printed = await outputOf(...bound, (seconds + 20) * 1000);
  return JSON.parse(printed.split('\n').findLast((line) => line.startsWith('{'))!) as Counted;
}

/**
 * The calls as wrk makes them: formatted once, handed out in turn. The last line of its output is its counts, as JSON.
 */
const script = (calls: readonly LoadCall[]): string => `
local calls, n = {}, 0
function init()
  ${calls.map((call) => `calls[#calls + 1] = wrk.format("${call.method}", ${quoted(call.path)}, ${headersOf(call)}, ${call.body === undefined ? 'nil' : quoted(call.body)})`).join('\n  ')}
end
function request()
  n = n % #calls + 1
  return calls[n]
end
function done(summary, latency)
  local e = summary.errors
  print(string.format('{"perSecond":%f,"p50Ms":%f,"p99Ms":%f,"errors":%d}', summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, e.connect + e.read + e.write + e.status + e.timeout))
end
`;

/** A string as Lua reads it, which is as JSON writes it while it is plain ASCII. */
const quoted = (text: string): string => JSON.stringify(text);

const headersOf = ({ headers }: LoadCall): string =>
  `{${Object.entries(headers)
    .map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`)
    .join()}}`;

async function byAutocannon(url: string, { method, path, headers, body }: LoadCall, seconds: number): Promise<Counted> {
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const args = ['-j', '-n', '-c', String(connections), '-d', String(seconds), '-m', method, ...named, ...(body ? ['-b', body] : [])];
  const bound = boundTo('loading', ['autocannon', [...args, `${url}${path}`]]);
  const result = JSON.parse(await outputOf(...bound, (seconds + 20) * 1000)) as {
    requests: { average: number };
    latency: { p50: number; p99: number };
    errors: number;
    timeouts: number;
    non2xx: number;
  };
  return {
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.timeouts + result.non2xx,
  };
}
