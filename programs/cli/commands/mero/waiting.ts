import { Option } from 'commander';
import { Unreachable } from '../../../../lib/api/client.ts';
import { contract } from '../../../../lib/contract.ts';
import { minuteMs, secondMs } from '../../../../lib/core/time.ts';
import type { MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import type { Cli } from '../../cli.ts';
import { Failure } from '../../exit-codes.ts';
import { waitMs } from '../../former-options.ts';
import { printable } from '../../output/printable.ts';

/** How long a start and a stop are waited for by default: as long as the original did. */
const timeoutDefaultMs = 600_000;

/** `--timeout SPAN`. */
export const timeoutOption = (what: string): Option =>
  new Option('--timeout <span>', `how long to wait; the ${what} continues afterwards`).argParser(waitMs).default(timeoutDefaultMs, '10m');

/** How often a wait asks for the state. */
const lookMs = secondMs;
/**
 * How long a deployment may give no answer during a wait: a host is restarted in seconds, and a machine in a minute.
 */
const awayMs = minuteMs;

/** Whether the same call may succeed later. */
const isAway = (error: unknown): error is Error =>
  error instanceof Unreachable || (error instanceof Failure && ['busy', 'rate-limited'].includes(error.problem ?? ''));

/**
 * Asks until there is an answer: a restarted deployment continues with its orders, and so does the wait for them.
 * Prints what it waits for. Throws the last error when there is no answer for a minute.
 */
export async function answered<T>(cli: Cli, progress: Pick<Progress, 'end'>, ask: () => Promise<T>): Promise<T> {
  let awaySince: number | undefined;
  for (;;) {
    try {
      const answer = await ask();
      if (awaySince !== undefined) cli.say('Muster answers again');
      return answer;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (awaySince === undefined) {
        progress.end();
        cli.say(`${printable(error.message)}. Waiting at most a minute for Muster to answer again`);
      }
      awaySince ??= cli.terminal.now();
      if (cli.terminal.now() - awaySince >= awayMs) throw error;
    }
    await cli.terminal.sleep(lookMs);
  }
}

/** A wait: how it ends, undefined while it has not, its limit in ms, and the text that a terminal shows until then. */
export type Wait<T, E extends string> = {
  readonly timeoutMs: number;
  readonly ends: (now: T) => E | undefined;
  readonly progressText: (now: T) => string | undefined;
};

/**
 * Looks again and again until the wait has ended in one way or another, or the time is over: `ended` is undefined then.
 * Gives the last reading.
 */
export async function lookUntil<T, E extends string>(
  cli: Cli,
  look: () => Promise<T>,
  { timeoutMs, ends, progressText }: Wait<T, E>,
): Promise<{ readonly ended: E | undefined; readonly now: T }> {
  const until = cli.terminal.now() + timeoutMs;
  const progress = progressOn(cli);
  try {
    for (;;) {
      const now = await answered(cli, progress, look);
      const ended = ends(now);
      if (ended !== undefined || cli.terminal.now() >= until) return { ended, now };
      const text = progressText(now);
      if (text !== undefined) progress.say(text);
      await cli.terminal.sleep(lookMs);
    }
  } finally {
    progress.end();
  }
}

/**
 * How a wait ended: all is as it is wanted, something else is wanted by now, or the time was over; and the status then.
 */
export type Waited = { readonly ended: 'done' | 'turned' | 'late'; readonly status: MeroStatus };

/**
 * The wanted disposition of a cluster. `seen` is called with each status; the last function gives the text that a
 * terminal shows until the cluster has reached it.
 */
export type WaitedFor = {
  readonly disposition: MeroStatus['disposition'];
  readonly timeoutMs: number;
  readonly seen?: (status: MeroStatus) => void;
  readonly progressText?: (status: MeroStatus) => string | undefined;
};

/** Waits until a cluster is as it is wanted, for so many ms at the longest. */
export async function waitUntil(
  cli: Cli,
  zone: MeroStatus['zone'],
  { disposition, timeoutMs, seen = () => undefined, progressText = () => undefined }: WaitedFor,
): Promise<Waited> {
  const look = async (): Promise<MeroStatus> =>
    (await cli.call(contract.meroStatus, { params: { zone }, query: { summary: 'true' } })).body;
  const ends = (status: MeroStatus): 'turned' | 'done' | undefined => {
    seen(status);
    if (status.disposition !== disposition) return 'turned';
    const isHalted = disposition === 'ONLINE' && status.noQuorum !== undefined;
    return status.underWay === undefined && !isHalted ? 'done' : undefined;
  };
  const { ended = 'late', now: status } = await lookUntil(cli, look, { timeoutMs, ends, progressText });
  return { ended, status };
}

/** The processes that a cluster waits for, a line each, and how many more. */
export function awaitedText({ waitingFor, waiting }: MeroStatus): string {
  const more = waiting - waitingFor.length;
  const named = waitingFor.map(({ process, host, state }) => `  ${process} on ${host} (${state})\n`);
  return [...named, ...(more > 0 ? [`  and ${more} more\n`] : [])].join('');
}

/** A line of talk that is replaced by the next one, until it ends. */
export type Progress = { readonly say: (text: string) => void; readonly end: () => void };

/** Progress on a terminal that can replace a line; nothing elsewhere. */
export function progressOn({ terminal }: Cli): Progress {
  let isOpen = false;
  return {
    say: (text) => {
      if (!terminal.rewrites) return;
      isOpen = true;
      terminal.err(`\r\u001b[2K${[...printable(text)].slice(0, (terminal.columns || 80) - 1).join('')}`);
    },
    end: () => {
      if (isOpen) terminal.err('\n');
      isOpen = false;
    },
  };
}
