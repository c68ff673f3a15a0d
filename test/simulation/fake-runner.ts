import { type Config, type FaultKind, faultNames } from './config.ts';
import type { Outcome } from './outcome.ts';

/** Histories that take no time, for what is around them: `fails` says which invariant a configuration breaks. */
export function fakeRunner(fails: (config: Config) => string | undefined, hashOf = (config: Config): string => JSON.stringify(config)) {
  const ran: Config[] = [];
  const run = async (config: Config): Promise<Outcome> => {
    ran.push(config);
    const invariant = fails(config);
    return {
      config,
      violations:
        invariant === undefined ? [] : [{ invariant, what: `seed ${config.seed} has ${config.nodes} nodes`, atMs: 61_500, step: 9 }],
      hash: hashOf(config),
      steps: 10,
      virtualMs: 3_600_000,
      fired: Object.fromEntries(faultNames.map((kind) => [kind, config.faults[kind] === undefined ? 0 : 2])) as Record<FaultKind, number>,
    };
  };
  return { run, ran };
}
