import { uptime } from 'node:os';
import { secondMs } from '../../lib/units.ts';
import { SiteCoordinator } from './coordinator.ts';
import { StationKeeper, type StationOptions } from './keeper.ts';
import { tcpPing } from './tcp-ping.ts';

/** What an agent on this host does as a station of its zone: it asks by TCP, and acts by the clocks of the host. */
export type SiteHere = { readonly supervisor: StationKeeper; readonly coordinator: SiteCoordinator };

/** The station in an agent on this host. */
export const siteHere = (options: Omit<StationOptions, 'ping'>): SiteHere => ({
  supervisor: new StationKeeper({ ...options, ping: tcpPing }),
  coordinator: new SiteCoordinator({ folder: options.folder, clocks: () => [uptime() * secondMs, options.world.now()] }),
});
