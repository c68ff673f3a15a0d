import type { StationsLeft, StorageLoss } from '../../../lib/assembly/preview/routes.ts';
import type { Cli } from '../cli.ts';

/** What a storage cluster would lose, for people: its processes in a table, and whether it stays alive. */
export function storageText(loss: StorageLoss, stations: StationsLeft | undefined, cli: Cli): string {
  const { totals, levels, liveness, services, reached, level } = loss;
  const lines = [
    `The storage cluster would lose processes (${totals.processes}), services (${totals.services}) and devices (${totals.devices}).`,
    ...levels.map((one) => `level ${one.level}: ${one.lost} of ${one.of} processes`),
    reached < level ? `It would reach level ${reached} of ${level}.` : `It would stay at level ${level}.`,
    ...liveness.map((lost) => `liveness: ${lost}`),
    ...services.map(({ type, host }) => `service ${type} on ${host}`),
    ...(stations ? [stationsText(stations)] : []),
  ];
  const table = cli.table(loss.processes, [
    { title: 'PROCESS', of: ({ process }) => process },
    { title: 'HOST', of: ({ host }) => host },
    { title: 'TYPE', of: ({ type }) => type },
    { title: 'LEVEL', align: 'right', of: ({ level: at }) => (at === undefined ? '' : String(at)) },
    { title: 'SERVICES', align: 'right', of: ({ services: its }) => String(its.length) },
    { title: 'DEVICES', align: 'right', of: ({ devices }) => String(devices) },
  ]);
  return `${lines.join('\n')}\n${table}`;
}

const stationsText = ({ stations, heard, needed, isQuorate }: StationsLeft): string =>
  `stations: ${heard} of ${stations} would be heard, ${needed} are needed: ${isQuorate ? 'a majority stays' : 'no majority stays'}`;
