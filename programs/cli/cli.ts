import type { Command } from 'commander';
import { withBearer } from '../../lib/api/bearer.ts';
import { type Answered, apiClient, type Fetching, type Sent, Unreachable } from '../../lib/api/client.ts';
import type { Route } from '../../lib/api/route.ts';
import { isEndpoint } from '../../lib/machine/endpoint.ts';
import { bearerFor } from './bearer.ts';
import { contextOf } from './contexts.ts';
import { exitCodes, Failure, failureOf } from './exit-codes.ts';
import { type Format, nameOf } from './output/format.ts';
import { json } from './output/json.ts';
import { type Column, details, namesIn, table } from './output/table.ts';
import type { Terminal } from './terminal.ts';

/** A success, with its body and headers. */
export type Success<T> = Extract<Answered<T>, { ok: true }>;

/** The means of every verb: calls to the deployment, and one way to show results. */
export type Cli = {
  readonly terminal: Terminal;
  /**
   * Calls a route of the deployment. Throws a {@link Failure} when it is refused, Unreachable when there is no answer.
   */
  readonly call: <T extends Route>(route: T, sent?: Sent<T>) => Promise<Success<T>>;
  /** Calls the deployment by method and path, and gives any answer. Throws Unreachable when there is none. */
  readonly request: (method: string, path: string, sent?: RequestSent) => Promise<Response>;
  /** The address of the deployment. Throws a {@link Failure} when it is no address. */
  readonly endpoint: () => string;
  /** Whether tokens may be sent to where others can read them. */
  readonly insecure: () => boolean;
  /** Shows the API's own JSON with --json, in the format that -o names, else what `text` makes of it. */
  readonly show: (value: unknown, text: () => string) => void;
  /** Whether a program reads the output: --json, or -o json, yaml or name. */
  readonly isJson: () => boolean;
  /** Prints a note to the person on standard error, beside the data. */
  readonly say: (text: string) => void;
  readonly table: <T>(rows: readonly T[], columns: readonly Column<T>[]) => string;
  readonly details: (facts: Readonly<Record<string, string | undefined>>) => string;
  /** Asks for confirmation, unless --yes. Throws a {@link Failure} without a terminal, and after a no. */
  readonly confirm: (question: string) => Promise<void>;
};

/**
 * The further parts of a call by method and path: headers as `name: value`, a body of JSON, and the signal that ends
 * it.
 */
export type RequestSent = {
  readonly headers?: readonly string[];
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
};

/** The output format that the running command is asked for; `yaml` is loaded by then. */
export type OutputChoice = { format: Format | undefined; yaml?: (value: unknown) => string };

/** A verb adds its own command, with its help and examples, to its noun's. */
export type Verb = (noun: Command, cli: Cli) => void;

/** The address of a deployment when none is given: the embedded host of this machine. */
export const endpointDefault = 'http://127.0.0.1:8080';

type Globals = { endpoint?: string; context?: string; json?: true; yes?: true; insecure?: true };

/**
 * The means of verbs on this terminal. When a verb runs, options are read from `program`, and the output format is set.
 */
export function cliOn(terminal: Terminal, program: Command, output: OutputChoice): Cli {
  const globals = (): Globals => program.opts();
  return {
    terminal,
    endpoint: () => endpointOf(globals(), terminal),
    insecure: () => globals().insecure === true,
    call: async (route, sent) => {
      const endpoint = endpointOf(globals(), terminal);
      // The token is read before the call, so that a fault of the sign-in is not taken for one of the network.
      const token = await bearerFor(endpoint, terminal, globals().insecure);
      return callAt(endpoint, route, sent, token === undefined ? undefined : withBearer(() => token));
    },
    request: async (method, path, sent) => {
      const endpoint = endpointOf(globals(), terminal);
      const token = await bearerFor(endpoint, terminal, globals().insecure);
      return requestAt(endpoint, { method, path, token }, sent);
    },
    isJson: () => globals().json === true || (output.format !== undefined && output.format !== 'wide'),
    show: (value, text) => terminal.out(globals().json ? json(value) : textIn(output, value, text)),
    say: (text) => terminal.err(`${text}\n`),
    table: (rows, columns) => (output.format === 'name' ? namesIn(rows, columns) : table(rows, columns, terminal.colours.out)),
    details: (facts) => details(facts, terminal.colours.out),
    confirm: async (question) => {
      if (globals().yes) return;
      if (!terminal.ask) throw new Failure(exitCodes.usage, `${question} No terminal is attached to confirm it`, 'Confirm with --yes');
      const answer = await terminal.ask(`${question} [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(exitCodes.failed, 'nothing was done');
    },
  };
}

/** Calls a route of a deployment, without a token unless `fetching` shows one. Throws as {@link Cli.call} does. */
export async function callAt<T extends Route>(endpoint: string, route: T, sent?: Sent<T>, fetching?: Fetching): Promise<Success<T>> {
  const answer = await apiClient(endpoint, fetching && { fetching })(route, sent);
  if (!answer.ok) throw failureOf(answer.problem, answer.headers.get('retry-after'));
  return answer as Success<T>;
}

/** The output in the format that is asked for. */
function textIn({ format, yaml }: OutputChoice, value: unknown, text: () => string): string {
  if (format === 'json') return json(value);
  if (format === 'yaml' && yaml) return yaml(value);
  return format === 'name' && !Array.isArray(value) ? `${nameOf(value)}\n` : text();
}

/** A call by method and path. Throws {@link Unreachable} when there is no answer. */
async function requestAt(
  endpoint: string,
  { method, path, token }: { readonly method: string; readonly path: string; readonly token: string | undefined },
  { headers = [], body, signal }: RequestSent = {},
): Promise<Response> {
  const all = new Headers(headers.map((one): [string, string] => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1).trim()]));
  if (token !== undefined) all.set('authorization', `Bearer ${token}`);
  if (body !== undefined && !all.has('content-type')) all.set('content-type', 'application/json');
  try {
    return await fetch(`${endpoint.replace(/\/+$/, '')}${path}`, {
      method,
      headers: all,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(`${endpoint} does not answer: ${String((error as Error).cause ?? error)}`, { cause: error });
  }
}

function endpointOf({ endpoint, context }: Globals, { env }: Terminal): string {
  const given = endpoint ?? (env['MUSTER_ENDPOINT'] || contextOf(context, env)?.endpoint || endpointDefault);
  const hint = `Give one such as ${endpointDefault} with --endpoint or MUSTER_ENDPOINT`;
  // The part before an @ may be a password, so it is not repeated.
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && url.username + url.password !== '')
    throw new Failure(exitCodes.usage, 'the address of a deployment must not contain a user name or password', hint);
  if (!isEndpoint(given)) throw new Failure(exitCodes.usage, `${given.replace(/.*@/s, '…@')} is not a valid address of a deployment`, hint);
  return given;
}
