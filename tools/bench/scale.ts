import { clientsPlayed } from './scale/clients.ts';
import { nodesPlayed } from './scale/nodes.ts';
import { operatorsPlayed } from './scale/operators.ts';
import { pinsPlayed } from './scale/pins.ts';
import type { ScaleSize } from './scale/seed.ts';
import { aScaleSite, type ScaleUnits } from './scale/site.ts';

/**
 * The sizes at which every operation is played: first a hundred times as many client systems, then fifty times as many
 * nodes.
 */
export const scaleSizes: readonly ScaleSize[] = [
  { clients: 1_000, nodes: 10 },
  { clients: 100_000, nodes: 10 },
  { clients: 100_000, nodes: 500 },
];

/** The usage of every operation, by its name; the same at every run. */
export type Scale = Readonly<Record<string, ScaleUnits>>;

/** Plays every operation once on a deployment of a size. */
export async function scaleAt(size: ScaleSize): Promise<Scale> {
  const site = aScaleSite(size);
  await clientsPlayed(site);
  await operatorsPlayed(site);
  await nodesPlayed(site);
  await pinsPlayed(site);
  return Object.fromEntries(site.played);
}

/** Plays every operation at every size. */
export async function playedAtEverySize(): Promise<readonly Scale[]> {
  const played: Scale[] = [];
  for (const size of scaleSizes) played.push(await scaleAt(size));
  return played;
}
