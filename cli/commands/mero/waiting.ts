import { Option } from 'commander';
import type { MeroStatus } from '../../../lib/api/admin-mero-routes.ts';
import { contract } from '../../../lib/api/contract.ts';
import { spanMs } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { printable } from '../../output/printable.ts';

/** How long a start and a stop are waited for when nobody says: as long as the original did. */
const timeoutDefaultMs = 600_000;

/** `--timeout SPAN`. */
export const timeoutOption = (what: string): Option =>
  new Option('--timeout <span>', `how long to wait; the ${what} goes on all the same`).argParser(spanMs).default(timeoutDefaultMs, '10m');

/** How often a cluster is looked at that somebody waits for. */
const lookMs = 1_000;

/** How a wait ended: all is as it is wanted, something else is wanted by now, or the time was over; and the status then. */
export type Waited = { readonly ended: 'done' | 'turned' | 'late'; readonly status: MeroStatus };

/** Waits until a cluster is as it is wanted, at the longest for a time in ms. `told` is called with each status. */
export async function waitUntil(
  cli: Cli,
  zone: MeroStatus['zone'],
  { disposition, timeoutMs, told }: { disposition: MeroStatus['disposition']; timeoutMs: number; told: (status: MeroStatus) => void },
): Promise<Waited> {
  const until = cli.terminal.now() + timeoutMs;
  for (;;) {
    const { body: status } = await cli.call(contract.meroStatus, { params: { zone }, query: { summary: 'true' } });
    told(status);
    if (status.disposition !== disposition) return { ended: 'turned', status };
    if (status.underWay === undefined) return { ended: 'done', status };
    if (cli.terminal.now() >= until) return { ended: 'late', status };
    await cli.terminal.sleep(lookMs);
  }
}

/** Whom a cluster waits for, a line each, and how many more. */
export function awaitedText({ waitingFor, waiting }: MeroStatus): string {
  const more = waiting - waitingFor.length;
  const named = waitingFor.map(({ process, host, state }) => `  ${process} on ${host} (${state})\n`);
  return [...named, ...(more > 0 ? [`  and ${more} more\n`] : [])].join('');
}

/** Talk that is replaced by what follows it, on a terminal that can; elsewhere nobody wants to read it. */
export function progressOn({ terminal }: Cli): { readonly say: (text: string) => void; readonly end: () => void } {
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
