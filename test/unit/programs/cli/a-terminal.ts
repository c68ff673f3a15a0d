import type { ExitCode } from '../../../../programs/cli/exit-codes.ts';
import { run } from '../../../../programs/cli/program.ts';
import type { Terminal } from '../../../../programs/cli/terminal.ts';

/** The moment at which all command lines of these tests run. */
export const now = Date.parse('2026-05-01T12:00:00Z');

let keys = 0;

/** What one command line came to. */
export type Ran = { readonly out: string; readonly err: string; readonly code: ExitCode };

/** What a test gives of a terminal; its files are at hand. */
type Given = Partial<Omit<Terminal, 'read'>> & { readonly read?: (path: string) => string | undefined | Promise<string | undefined> };

/** Runs one command line, split at spaces unless it is given in words, on a terminal that only remembers. */
export async function ran(line: string | readonly string[], { read, ...given }: Given = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    name: 'muster',
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ask: undefined,
    colours: { out: false, err: false },
    columns: undefined,
    rewrites: false,
    onInterrupt: () => () => undefined,
    read: async (path) => read?.(path),
    readOwn: () => undefined,
    open: () => undefined,
    run: async () => ({ ok: false, why: 'nothing is run in tests', output: '' }),
    sleep: async () => undefined,
    newKey: () => `key-${++keys}`,
    env: {},
    now: () => now,
    ...given,
  };
  const code = await run(typeof line === 'string' ? line.split(' ').filter(Boolean) : line, terminal);
  return { out, err, code };
}
