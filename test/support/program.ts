import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../tools/support/host.ts';

/** A program of the project as a child process: what it says, and how it ends. */
export type Program = {
  readonly child: ChildProcess;
  said(): string;
  /** Resolves once it has said this. */
  says(text: string, withinMs?: number): Promise<true>;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
};

/** The path of the client daemon. */
const client = 'programs/client/main.ts';

/**
 * Starts `programs/agent/main.ts` or the like with this Node; `env` is added to the environment. The client daemon is
 * the executable that `MUSTER_CLIENT_BINARY` names, if any: its tests run with the one in Go as well
 * (vitest.config.ts).
 */
export function aProgram(path: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const binary = path === client ? process.env['MUSTER_CLIENT_BINARY'] : undefined;
  if (binary) return anExecutable(binary, args, { ...process.env, ...env });
  return anExecutable(
    process.execPath,
    [fileURLToPath(new URL(`../../${path}`, import.meta.url)), ...args],
    { ...process.env, ...env },
    path,
  );
}

/**
 * Starts an executable in this environment and no other; `path` is what it is called when it does not say what it
 * should.
 */
export function anExecutable(file: string, args: readonly string[], env: NodeJS.ProcessEnv, path = file): Program {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return {
    child,
    said: () => text,
    says: (line, withinMs = 20_000) =>
      eventually(`${path} says "${line}"`, async () => text.includes(line), withinMs).catch((error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : error}; it said:\n${text}`);
      }),
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'))),
  };
}
