// Starts one of the project's programs with the Node that the project brings. Plain JavaScript for Node 20.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { install, root } from './install.mjs';
import { node } from './runtime.mjs';

/**
 * Installs what is missing, runs `program` (a path from the project's root) with this command line, and ends as it
 * ends.
 */
export function run(program) {
  install();
  const child = spawn(node(), [join(root, program), ...process.argv.slice(2)], { stdio: 'inherit' });
  // On a terminal Ctrl-C reaches the program by itself; a second one would look like impatience.
  const forwarded = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  if (process.stdin.isTTY) process.on('SIGINT', () => {});
  child.on('error', (error) => {
    process.stderr.write(`muster: cannot start ${program}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
