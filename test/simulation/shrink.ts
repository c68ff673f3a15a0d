import { type Config, faultNames, without } from './config.ts';

/** How many histories are tried at the most to make one smaller. */
export const triesMax = 80;

const slotsMin = 1024;
const faultMsMin = 30_000;

/** The smallest configuration that was found, and how many were tried for it. */
export type Shrunk = { readonly config: Config; readonly tries: number };

/**
 * Makes a failing configuration smaller as long as it fails: one thing less at a time, and everything anew once
 * something could go. `fails` says whether a candidate still breaks the same invariant. Asks no more often than
 * `triesMax`, and no more once `enough` says so.
 */
export async function shrunk(
  config: Config,
  fails: (candidate: Config) => Promise<boolean>,
  enough = (): boolean => false,
): Promise<Shrunk> {
  const tried = new Set<string>();
  let smallest = config;
  let found = true;
  while (found) {
    found = false;
    for (const candidate of smaller(smallest)) {
      if (tried.has(JSON.stringify(candidate))) continue;
      if (tried.size >= triesMax || enough()) return { config: smallest, tries: tried.size };
      tried.add(JSON.stringify(candidate));
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return { config: smallest, tries: tried.size };
}

/** What is there or is not. Loads come before the storage that they need. */
const parts = [
  'vouched',
  'metadata',
  'clones',
  'liars',
  'replacement',
  'steered',
  'settlers',
  'pins',
  'webhooks',
  'hands',
  'lateChecks',
  'drifts',
  'hasty',
  'previews',
  'supervisors',
  'services',
  'loads',
  'storage',
] as const;

/**
 * What is a little less than a configuration: the largest steps first, since most of a history has nothing to do with
 * what fails.
 */
export function* smaller(config: Config): Generator<Config> {
  const on = faultNames.filter((kind) => config.faults[kind] !== undefined);
  if (on.length > 1) yield { ...config, faults: {} };
  for (const kind of on) yield without(config, kind);
  if (config.automation) yield { ...config, automation: false };
  // Said, not left out: what a configuration does not say is as its seed draws it.
  if ((config.zones ?? 1) > 1) yield { ...config, zones: 1 };
  for (const part of parts) if (config[part]) yield { ...config, [part]: false };
  for (const pinnedAtOnce of fewer(config.pinnedAtOnce ?? 1, 1)) yield { ...config, pinnedAtOnce };
  for (const stations of fewer(config.stations ?? 0, 0)) yield { ...config, stations };
  for (const admins of fewer(config.admins, 0)) yield { ...config, admins };
  for (const clients of fewer(config.clients, 0)) yield { ...config, clients };
  // Without any node nobody could ever be at home: that is another failure.
  for (const nodes of fewer(config.nodes, Math.min(1, config.nodes))) yield { ...config, nodes };
  if (config.slots > slotsMin) yield { ...config, slots: slotsMin };
  for (const faultMs of fewer(config.faultMs, faultMsMin)) if (config.faultMs - faultMs >= faultMsMin) yield { ...config, faultMs };
  if (config.shape === 'aws') yield { ...config, shape: 'embedded' };
}

/** Numbers below one, the least first: the least there may be, half, and one less. */
const fewer = (count: number, least: number): number[] =>
  [...new Set([least, Math.floor(count / 2), count - 1])].filter((some) => some >= least && some < count).sort((a, b) => a - b);
