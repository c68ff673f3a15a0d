import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';

/** A process that a benchmark started; `stop` ends it and resolves when it is gone. */
export type Started = { readonly pid: number; readonly stop: () => Promise<void> };

/**
 * Starts a program that runs until it is stopped. Its stderr is stored, and thrown when it ends before `isUp` holds.
 */
export async function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  isUp: () => Promise<boolean>,
): Promise<Started> {
  const child = endingWithUs(spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] }));
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-4_000);
  });
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${output}`);
    if (await isUp().catch(() => false)) return { pid: child.pid!, stop: () => stopped(child) };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stopped(child);
  throw new Error(`${command} was not up within 20 s: ${output}`);
}

/** A process that does not outlive the program that started it, also when that fails. */
function endingWithUs<T extends ChildProcess>(child: T): T {
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
  return child;
}

/** Ends a process as an operator would, and after 5 s as the kernel does. */
async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(hard);
}

/**
 * The output of a program that ends by itself; exit code 1 means that a benchmark missed a target. Throws when it fails
 * or takes too long.
 */
export function outputOf(command: string, args: readonly string[], withinMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = endingWithUs(spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: withinMs }));
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 || (code === 1 && out !== '')) resolve(out);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code ?? `nothing within ${withinMs} ms`}: ${out}`));
    });
  });
}

/** Whether a program can be found on the path. */
export const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

/** A program and its arguments. */
export type Command = readonly [command: string, args: readonly string[]];

/**
 * The processors of a comparison: one for the measured program, another for its load. Where programs cannot be bound
 * they run anywhere.
 */
const processors = { measured: 0, loading: 1 } as const;
/** Whether programs are bound to their processors, as a note beside figures. */
export const isBound = isInstalled('taskset') && availableParallelism() > 1;

/**
 * The command on the processor of its part. A program that starts on one processor sees no other: Go's scheduler goes
 * by it, too.
 */
export const boundTo = (part: keyof typeof processors, [command, args]: Command): Command =>
  isBound ? ['taskset', ['-c', String(processors[part]), command, ...args]] : [command, args];

/** Ports of loopback without a listener now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))));
  return ports;
}
