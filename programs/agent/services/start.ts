import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { ServiceKeepers } from '../kept.ts';
import type { NodeKind } from '../ledger.ts';
import { livesOf } from '../processes/born.ts';
import { ProcessKeeper } from '../processes/keeper.ts';
import { hearLaunchers, hearService, socketFile } from '../processes/launchers.ts';
import type { ProcessesGiven } from '../processes/options.ts';
import type { Runner } from '../processes/runner.ts';
import { keeperFor, type OfHost } from '../processes/start.ts';
import { runsAs } from '../runs-as.ts';
import { tcpPing } from '../station/tcp-ping.ts';
import { SupervisorKeeper } from '../supervisor/keeper.ts';
import { allowedBy } from './allowed.ts';
import { HostRunner } from './host-runner.ts';
import type { Site } from './inside.ts';
import { ServiceKeeper } from './keeper.ts';
import type { ServicesGiven } from './options.ts';
import { Rooms, roomsDefault } from './rooms.ts';

/** The keepers of processes and services on this host, by the command line. */
export type KeepersHere = {
  readonly processes: ProcessKeeper | undefined;
  readonly services: ServiceKeepers;
  /** Starts to listen for launchers and services; gives a function that stops. */
  hear(): () => void;
};

const none = { ok: false, why: 'this agent runs no processes (--processes off)' } as const;
/** Runs nothing. */
const noRunner: Runner = {
  start: async () => none,
  stop: async () => none,
  kill: async () => none,
  look: async () => none,
  onEnd: () => {},
};

/**
 * The keepers of this host's processes, where the agent runs them, and of its services. Throws {@link Unusable} for a
 * damaged folder.
 */
export function keepersHere(
  given: ProcessesGiven & ServicesGiven & { readonly kind: NodeKind },
  host: OfHost & { readonly site: Site },
): KeepersHere {
  const { folder, kernel, environment, newName, say, site, trace, mayGoOn, world } = host;
  const lives = livesOf(kernel);
  const processes = keeperFor(given, host);
  const files = { write: async () => {}, remove: () => {} };
  // An agent without processes still needs a keeper that sends the reports of the services.
  const reporter = processes ?? new ProcessKeeper({ folder, runner: noRunner, files, lives, newName, say, trace, world });
  const home = resolve(folder.path);
  const rooms = new Rooms({
    // Each agent of a host has its own folder.
    folder: join(roomsDefault, createHash('sha256').update(home).digest('hex').slice(0, 12)),
    hear: (ear) => hearService(ear, keeper, lives),
    say,
  });
  const runner = new HostRunner({
    folder: join(home, 'services'),
    socket: join(home, socketFile),
    processes: () => processes?.running,
    supervisor: () => supervisor.status(),
    runsAs: runsAs(given.serviceUser),
    rooms,
    environment,
    lives,
    site,
    world,
  });
  const allowed = allowedBy(given.allowService);
  const keeper = new ServiceKeeper({ folder, runner, lives, allowed, reporter, say, trace, mayGoOn, world });
  const supervisor = new SupervisorKeeper({ folder, ping: tcpPing(world), reporter, world, absent: () => keeper.absent() });
  const hears = processes ?? { report: () => none };
  return {
    processes,
    services: { keeper, supervisor, reporter },
    hear: () => {
      const ends = [hearLaunchers({ folder, keeper: hears, services: keeper, lives, say }), rooms.reopen()];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
