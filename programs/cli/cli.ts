import type { Command } from 'commander';
import { showing } from '../../lib/api/bearer.ts';
import { type Answered, apiClient, type Fetching, type Sent } from '../../lib/api/client.ts';
import type { Route } from '../../lib/api/route.ts';
import { isEndpoint } from '../../lib/machine/endpoint.ts';
import { bearerFor } from './bearer.ts';
import { exitCodes, Failure, failureOf } from './exit-codes.ts';
import { json } from './output/json.ts';
import { type Column, details, table } from './output/table.ts';
import type { Terminal } from './terminal.ts';

/** A success, with its body and headers. */
export type Success<T> = Extract<Answered<T>, { ok: true }>;

/** What every verb works with: calls to the deployment, and one way to show what came back. */
export type Cli = {
  readonly terminal: Terminal;
  /**
   * Calls a route of the deployment. Throws a {@link Failure} when it is refused, Unreachable when there is no answer.
   */
  readonly call: <T extends Route>(route: T, sent?: Sent<T>) => Promise<Success<T>>;
  /** Where the deployment is. Throws a {@link Failure} when that is no address. */
  readonly endpoint: () => string;
  /** Whether tokens may be sent to where others can read them. */
  readonly insecure: () => boolean;
  /** Shows the API's own JSON with --json, else what `text` makes of it. */
  readonly show: (value: unknown, text: () => string) => void;
  /** Whether a program reads what is shown: --json. */
  readonly isJson: () => boolean;
  /** Says something to the person, beside the data. */
  readonly say: (text: string) => void;
  readonly table: <T>(rows: readonly T[], columns: readonly Column<T>[]) => string;
  readonly details: (facts: Readonly<Record<string, string | undefined>>) => string;
  /** Asks before what cannot be undone, unless --yes. Throws a {@link Failure} when nobody can be asked, or says no. */
  readonly confirm: (question: string) => Promise<void>;
};

/** A verb adds its own command, with its help and examples, to its noun's. */
export type Verb = (noun: Command, cli: Cli) => void;

/** Where a deployment is looked for when nobody says: the embedded host of this machine. */
export const endpointDefault = 'http://127.0.0.1:8080';

type Globals = { endpoint?: string; json?: true; yes?: true; insecure?: true };

/** What verbs work with, on this terminal; options are read from `program` when a verb runs. */
export function cliOn(terminal: Terminal, program: Command): Cli {
  const globals = (): Globals => program.opts();
  return {
    terminal,
    endpoint: () => endpointOf(globals(), terminal),
    insecure: () => globals().insecure === true,
    call: async (route, sent) => {
      const endpoint = endpointOf(globals(), terminal);
      // Before the call, so that what is wrong with a sign-in is not taken for what is wrong with the network.
      const token = await bearerFor(endpoint, terminal, globals().insecure);
      return callAt(endpoint, route, sent, token === undefined ? undefined : showing(() => token));
    },
    isJson: () => globals().json === true,
    show: (value, text) => terminal.out(globals().json ? json(value) : text()),
    say: (text) => terminal.err(`${text}\n`),
    table: (rows, columns) => table(rows, columns, terminal.colours.out),
    details: (facts) => details(facts, terminal.colours.out),
    confirm: async (question) => {
      if (globals().yes) return;
      if (!terminal.ask) throw new Failure(exitCodes.usage, `${question} There is no terminal to ask on`, 'Give --yes if you are sure');
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

function endpointOf({ endpoint }: Globals, { env }: Terminal): string {
  const given = endpoint ?? (env['MUSTER_ENDPOINT'] || endpointDefault);
  const hint = `Give one such as ${endpointDefault} with --endpoint or MUSTER_ENDPOINT`;
  // What stands before an @ may be a password: it is not repeated.
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && url.username + url.password !== '')
    throw new Failure(exitCodes.usage, 'the address of a deployment must not contain a user name or password', hint);
  if (!isEndpoint(given)) throw new Failure(exitCodes.usage, `${given.replace(/.*@/s, '…@')} is no address of a deployment`, hint);
  return given;
}
