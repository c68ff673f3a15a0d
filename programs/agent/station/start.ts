import { clocksOf } from '../moment.ts';
import { type Environment, forChildren } from '../processes/children.ts';
import { askCommand } from '../services/ask.ts';
import type { Site } from '../services/inside.ts';
import { SiteCoordinator } from './coordinator.ts';
import { carryOut, forgetPasswords } from './hands.ts';
import { StationKeeper, type StationOptions } from './keeper.ts';
import { secretsIn } from './secrets.ts';
import { tcpPing } from './tcp-ping.ts';

/** The parts of an agent that work as a station of its zone: it pings by TCP, and acts by the clocks of the host. */
export type SiteHere = Site & { readonly supervisor: StationKeeper; readonly coordinator: SiteCoordinator };

/**
 * The options of a station on this host: the file of passwords and the power program, where they are configured, and
 * the environment of the agent.
 */
export type SiteOptions = Omit<StationOptions, 'ping'> & {
  readonly secrets: string | undefined;
  /** The command that power-cycles a host, in words, where it is configured. */
  readonly powerCommand: readonly string[] | undefined;
  readonly environment: Environment;
};

/** The station in an agent on this host. */
export function siteHere({ secrets, powerCommand, environment, ...station }: SiteOptions): SiteHere {
  const { folder, world } = station;
  forgetPasswords(folder.path);
  const coordinator = new SiteCoordinator({ folder, clocks: clocksOf(world) });
  const carryOutOptions = {
    folder,
    coordinator,
    secrets: secretsIn(secrets),
    program: powerCommand,
    runs: (words: readonly string[], limitMs: number) =>
      askCommand(words, { environment: forChildren(environment), input: '', limitMs, after: world.after }),
  };
  return {
    supervisor: new StationKeeper({ ...station, ping: tcpPing(world) }),
    coordinator,
    carryOut: (data, limitMs) => carryOut(data, limitMs, carryOutOptions),
  };
}
