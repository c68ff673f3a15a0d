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

/** Where a systemd that runs has its own folder (sd_booted(3)). */
const systemdFolder = '/run/systemd/system';

/**
 * Whether processes of a storage cluster can be run here as the agent is told to; nothing is missing where they are not
 * to be. `path` is where commands are looked for.
 */
export async function processChecks(
  given: AgentOptionsGiven,
  { path, systemd = systemdFolder }: { readonly path: string; readonly systemd?: string },
): Promise<Check[]> {
  const mode = modeOf(given);
  if (mode === 'off') return [well('runner', 'no processes are run here')];
  const fault = faultOfProcesses(given);
  const runner =
    fault !== undefined
      ? missing('runner', fault, 'say one of the two otherwise')
      : mode === 'systemd'
        ? systemdCheck(systemd, path)
        : childCheck(given.run ?? [], path);
  return [runner, sysconfigCheck(given.sysconfig ?? sysconfigDefault), await launchersCheck(given.home)];
}

function systemdCheck(folder: string, path: string): Check {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return missing('runner', 'systemd does not run here', 'say processes = child and a run = PREFIX=COMMAND for each kind of process');
  return isThere('systemctl', path)
    ? well('runner', 'units of systemd')
    : missing('runner', 'systemd runs here, and there is no systemctl', 'install it, or put its folder into PATH');
}

function childCheck(run: NonNullable<AgentOptionsGiven['run']>, path: string): Check {
  if (run.length === 0)
    return missing('runner', 'no command is named for any process', 'say run = PREFIX=COMMAND for each kind of process');
  const gone = run.filter(({ command }) => !isThere(command[0] ?? '', path)).map(({ prefix, command }) => `${prefix}=${command[0]}`);
  return gone.length === 0
    ? well('runner', `children of the agent: ${run.map(({ prefix }) => prefix).join(', ')}`)
    : missing('runner', `cannot be run: ${gone.join(', ')}`, 'install them, or name others by run = PREFIX=COMMAND');
}

/** Whether a command can be run; `path` is where it is looked for. */
export function isThere(command: string, path: string): boolean {
  const places = command.includes('/') || isAbsolute(command) ? [command] : path.split(delimiter).map((folder) => join(folder, command));
  return places.some(
    (place) => statSync(place, { throwIfNoEntry: false })?.isFile() === true && mendable(() => accessSync(place, constants.X_OK)).ok,
  );
}

function sysconfigCheck(folder: string): Check {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return missing('sysconfig', `there is no folder ${folder}`, `mkdir -p ${folder}, or name another by sysconfig = DIR`);
  return mendable(() => accessSync(folder, constants.W_OK | constants.X_OK)).ok
    ? well('sysconfig', `${folder} can be written to`)
    : missing('sysconfig', `the agent cannot write to ${folder}`, 'run it as root, or name another folder by sysconfig = DIR');
}

/** Whether launchers are heard: by calling, and saying nothing. */
function launchersCheck(home: string): Promise<Check> {
  const path = join(home, socketFile);
  if (!nameFits(path))
    return Promise.resolve(missing('launchers', `the name ${path} is longer than a socket’s may be`, 'name a shorter --home'));
  return new Promise((resolve) => {
    const socket = connect(path);
    const ended = (check: Check): void => {
      socket.destroy();
      resolve(check);
    };
    socket.setTimeout(secondMs, () => ended(missing('launchers', `${path} does not answer`, 'restart the agent')));
    socket.once('connect', () => ended(well('launchers', `are heard at ${path}`)));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      ended(
        ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(error.code ?? '')
          ? unknown('launchers', 'no agent runs here now')
          : missing('launchers', `${path} cannot be called (${error.code})`, 'call it as the owner of the folder'),
      ),
    );
  });
}
