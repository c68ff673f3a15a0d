import { Unusable } from '../../../lib/machine/command-line.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { commandDriver, noDriver } from '../command-driver.ts';
import type { Driver } from '../daemon.ts';
import type { ClientOptions } from '../options.ts';
import { type Kind, saltMinion, traditional, venvSaltMinion } from './kinds.ts';
import { type Root, rootAt } from './root.ts';
import { type Machinery, type ServiceDriver, serviceDriver } from './service-driver.ts';
import { systemctl } from './services.ts';

type Given = Pick<ClientOptions, 'drive' | 'driver' | 'dryRun' | 'root' | 'systemctl' | 'caCertificate'>;
type World = { readonly folder: Folder } & Pick<Machinery, 'pause' | 'say'>;

/** The driver that the options choose: a command, services of a kind, or nothing. */
export type Driven =
  | { readonly by: 'command'; readonly line: string }
  | { readonly by: 'services'; readonly kind: Kind; readonly root: Root }
  | { readonly by: 'nothing' };

/**
 * What these options drive; `auto` looks for installed software. Throws {@link Unusable} in words for the operator when
 * the options do not fit together, nothing or several things are installed, or services of this machine would be driven
 * for another root.
 */
export function drivenBy(given: Given): Driven {
  const { driver, drive, root: path = '/', systemctl: program } = given;
  if (driver === 'command' || driver === undefined) {
    if (driver !== undefined && drive === undefined) throw new Unusable('--driver command needs --drive <command>');
    return drive === undefined ? { by: 'nothing' } : { by: 'command', line: drive };
  }
  if (drive !== undefined) throw new Unusable(`--drive is a command, and --driver is ${driver}: give one of them`);
  if (path !== '/' && program === undefined)
    throw new Unusable(`--root ${path} needs --systemctl <program>: systemctl drives the services of this machine, not of that root`);
  const root = rootAt(path);
  return { by: 'services', kind: driver === 'auto' ? installedIn(root, given) : kindOf(driver, given), root };
}

const kindOf = (name: Kind['name'], { caCertificate }: Given): Kind =>
  ({ 'salt-minion': saltMinion, 'venv-salt-minion': venvSaltMinion, traditional: traditional(caCertificate) })[name];

function installedIn(root: Root, given: Given): Kind {
  const found = [saltMinion, venvSaltMinion, traditional(given.caCertificate)].filter((kind) => kind.units(root).length > 0);
  const [kind, ...others] = found;
  if (!kind)
    throw new Unusable(
      `nothing that --driver auto knows is installed in ${root.path}: salt-minion, venv-salt-minion, the traditional client`,
    );
  if (others.length > 0)
    throw new Unusable(`${found.map(({ name }) => name).join(' and ')} are installed: choose one with --driver, or remove the others`);
  return kind;
}

/** A driver, with the other functions that the program needs. `idle` resolves once no run of it is under way. */
export type ChosenDriver = Driver &
  Pick<ServiceDriver, 'wouldDo'> & { readonly services?: Pick<ServiceDriver, 'recover' | 'runsFor'>; idle(): Promise<void> };

/**
 * The driver for these options. With `dryRun` it logs the steps that it would take, does nothing, and fails, so that
 * nothing is confirmed.
 */
export function driverFor(driven: Driven, given: Given, world: World): ChosenDriver {
  const chosen = bare(driven, given, world);
  return untilIdle(given.dryRun ? dry(chosen, world) : chosen);
}

type Bare = Omit<ChosenDriver, 'idle'>;

function bare(driven: Driven, { systemctl: program = 'systemctl' }: Given, world: World): Bare {
  switch (driven.by) {
    case 'nothing':
      return { ...noDriver, wouldDo: async () => [] };
    case 'command':
      return {
        ...commandDriver(driven.line),
        wouldDo: async (fqdn) => [`run ${driven.line} ${fqdn === undefined ? 'stop' : `start ${fqdn}`}`],
      };
    case 'services': {
      const services = serviceDriver(driven.kind, { ...world, root: driven.root, services: systemctl(program) });
      return { ...services, services };
    }
  }
}

function dry({ wouldDo }: Bare, { say }: Pick<World, 'say'>): Bare {
  const tell = async (fqdn?: Parameters<Driver['start']>[0]) => {
    const lines = await wouldDo(fqdn).catch((error: unknown) => {
      if (error instanceof Unusable) return [error.message];
      throw error;
    });
    for (const line of lines.length > 0 ? lines : ['nothing']) say(`dry run, would do: ${line}`);
    return { ok: false, why: 'a dry run does nothing' } as const;
  };
  return { wouldDo, start: tell, stop: () => tell() };
}

/** Tracks the runs of a driver, so that the program does not end in the middle of one. */
function untilIdle(driver: Bare): ChosenDriver {
  let last: Promise<unknown> = Promise.resolve();
  const run = <T>(made: Promise<T>): Promise<T> => {
    last = made;
    return made;
  };
  return {
    ...driver,
    start: (fqdn) => run(driver.start(fqdn)),
    stop: () => run(driver.stop()),
    idle: async () => void (await last),
  };
}
