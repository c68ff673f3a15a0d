import { accessSync, constants, statSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, isAbsolute, join } from 'node:path';
import { secondMs } from '../../../lib/core/time.ts';
import type { AgentOptionsGiven } from '../options.ts';
import { nameFits, socketFile } from '../processes/launchers.ts';
import { faultOfProcesses, modeOf } from '../processes/options.ts';
import { sysconfigDefault } from '../processes/start.ts';
import { type Check, missing, unknown, well } from './check.ts';
import { mendable } from './mendable.ts';

/** The folder that exists while systemd runs (sd_booted(3)). */
const systemdFolder = '/run/systemd/system';

/**
 * Whether processes of a storage cluster can run here as configured; reports nothing missing on a host that runs none.
 * `path` is the PATH in which to look for commands.
 */
export async function processChecks(
  given: AgentOptionsGiven,
  { path, systemd = systemdFolder }: { readonly path: string; readonly systemd?: string },
): Promise<Check[]> {
  const mode = modeOf(given);
  if (mode === 'off') return [well('runner', 'this host runs no processes')];
  const fault = faultOfProcesses(given);
  const runner =
    fault !== undefined
      ? missing('runner', fault, 'change one of the two')
      : mode === 'systemd'
        ? systemdCheck(systemd, path)
        : childCheck(given.run ?? [], path);
  return [runner, sysconfigCheck(given.sysconfig ?? sysconfigDefault), await launchersCheck(given.home)];
}

function systemdCheck(folder: string, path: string): Check {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return missing('runner', 'systemd does not run here', 'set processes = child, and a run = PREFIX=COMMAND for each kind of process');
  return isThere('systemctl', path)
    ? well('runner', 'units of systemd')
    : missing('runner', 'systemctl is missing, although systemd runs here', 'install it, or put its folder into PATH');
}

function childCheck(run: NonNullable<AgentOptionsGiven['run']>, path: string): Check {
  if (run.length === 0) return missing('runner', 'no command is set for any process', 'set run = PREFIX=COMMAND for each kind of process');
  const gone = run.filter(({ command }) => !isThere(command[0] ?? '', path)).map(({ prefix, command }) => `${prefix}=${command[0]}`);
  return gone.length === 0
    ? well('runner', `children of the agent: ${run.map(({ prefix }) => prefix).join(', ')}`)
    : missing('runner', `cannot be run: ${gone.join(', ')}`, 'install them, or name others by run = PREFIX=COMMAND');
}

/** Whether a command can be run; `path` is the PATH in which to look for it. */
export function isThere(command: string, path: string): boolean {
  const places = command.includes('/') || isAbsolute(command) ? [command] : path.split(delimiter).map((folder) => join(folder, command));
  return places.some(
    (place) => statSync(place, { throwIfNoEntry: false })?.isFile() === true && mendable(() => accessSync(place, constants.X_OK)).ok,
  );
}

function sysconfigCheck(folder: string): Check {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return missing('sysconfig', `the folder ${folder} does not exist`, `mkdir -p ${folder}, or name another by sysconfig = DIR`);
  return mendable(() => accessSync(folder, constants.W_OK | constants.X_OK)).ok
    ? well('sysconfig', `the agent can write to ${folder}`)
    : missing('sysconfig', `the agent cannot write to ${folder}`, 'run it as root, or name another folder by sysconfig = DIR');
}

/** Whether the agent listens for launchers: connects to its socket, and sends nothing. */
function launchersCheck(home: string): Promise<Check> {
  const path = join(home, socketFile);
  if (!nameFits(path)) return Promise.resolve(missing('launchers', `the path ${path} is too long for a socket`, 'name a shorter --home'));
  return new Promise((resolve) => {
    const socket = connect(path);
    const ended = (check: Check): void => {
      socket.destroy();
      resolve(check);
    };
    socket.setTimeout(secondMs, () => ended(missing('launchers', `${path} does not answer`, 'restart the agent')));
    socket.once('connect', () => ended(well('launchers', `the agent listens at ${path}`)));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      ended(
        ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(error.code ?? '')
          ? unknown('launchers', 'no agent runs here now')
          : missing('launchers', `cannot connect to ${path} (${error.code})`, 'run this command as the owner of the folder'),
      ),
    );
  });
}
