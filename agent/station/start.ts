import { StationKeeper, type StationOptions } from './keeper.ts';
import { tcpPing } from './tcp-ping.ts';

/** The station in an agent on this host, which asks by TCP. */
export const stationHere = (options: Omit<StationOptions, 'ping'>): StationKeeper => new StationKeeper({ ...options, ping: tcpPing });
