import { gatewayPromises } from '../gateway/promises.ts';
import type { Kernel } from '../kernel.ts';
import { beginning } from '../kernel.ts';
import type { Violation } from '../outcome.ts';
import type { Watcher } from '../watching.ts';
import type { World } from '../world/world.ts';
import { actedOnce, actionCounts, actionsEnd } from './acted.ts';
import { adoptions } from './adoptions.ts';
import { askedFor } from './asked-for.ts';
import { chain } from './chain.ts';
import { changes } from './changes.ts';
import { ofClients } from './clients/of-clients.ts';
import { delivered } from './delivered.ts';
import { deliveries } from './deliveries.ts';
import { edited } from './edited.ts';
import { entries } from './entries.ts';
import { everyoneUp } from './everyone-up.ts';
import { ofHosts } from './hosts/of-hosts.ts';
import type { Invariant } from './invariant.ts';
import { journal } from './journal.ts';
import { ofNodes } from './nodes/of-nodes.ts';
import { ownRows } from './own-rows.ts';
import { ofProcesses } from './processes/of-processes.ts';
import { revisions } from './revisions.ts';
import { seats } from './seats.ts';
import { masked, secrets } from './secrets.ts';
import { serverChanges } from './server-changes.ts';
import { ofServices } from './services/of-services.ts';
import { ofStations } from './stations/of-stations.ts';
import { nextVoice, ownVoice, vouchedOnce, vouchedUp } from './vouched.ts';
import { ofZones } from './zones/of-zones.ts';

/** The promise that run.ts itself checks, since it is about a whole world twice. */
const replay = { name: 'replay-changes-nothing', says: 'everything handed over once more changes not a byte' } as const;

/**
 * The promise that is looked at once a history is over (audit-verified.ts): it is about everything that was ever
 * written.
 */
const audit = {
  name: 'the-audit-verifies',
  says: 'an auditor who looks at the whole audit finds nothing, where nobody but Muster wrote',
} as const;

/** The promises of searches, which are looked at once a history is over (searched.ts). */
const searches = [
  {
    name: 'a-search-finds-what-the-rows-say',
    says: 'in the end whoever has searched now and then finds each client system once, in its zone and as its row has it; so does whoever begins with a stored index, and whoever reads all rows anew',
  },
  {
    name: 'a-search-counts-no-hidden-zone',
    says: 'whoever is limited to a zone counts the client systems of that zone in totals and facets, and no others',
  },
] as const;

/** Every invariant that holds for what exists. */
const watched: readonly Invariant[] = [
  ...ofClients,
  ...ofNodes,
  ...ofZones,
  ...ofHosts,
  ...ofProcesses,
  ...ofServices,
  ...ofStations,
  chain,
  delivered,
  everyoneUp,
  journal,
  changes,
  serverChanges,
  adoptions,
  entries,
  seats,
  revisions,
  edited,
  actedOnce,
  actionCounts,
  actionsEnd,
  deliveries,
  askedFor,
  secrets,
  masked,
  ownRows,
  ownVoice,
  nextVoice,
  vouchedOnce,
  vouchedUp,
];

/** All of them by name, for lists and tests. */
export const invariants: readonly { readonly name: string; readonly says: string }[] = [
  ...watched,
  replay,
  ...searches,
  audit,
  ...gatewayPromises,
];

/** Sees that every invariant holds in one history. */
export type Judge = {
  readonly watchers: readonly Watcher[];
  readonly violations: Violation[];
  world: World | undefined;
  readonly violated: (invariant: string, what: string) => void;
  /** Something was violated: the history need not go on. */
  readonly isOver: () => boolean;
  /** Whether everything is at rest. */
  readonly isAtRest: () => boolean;
  /** What is not at rest now never will be. */
  readonly settleUnrest: () => void;
};

type Begun = ReturnType<Invariant['begin']>;
const isRestless = ({ unrest }: Begun): boolean => unrest !== undefined && unrest().length > 0;

/** A judge at the beginning of a history. */
export function begun(kernel: Kernel): Judge {
  const violations: Violation[] = [];
  const violated = (invariant: string, what: string): void => {
    kernel.note(`VIOLATED ${invariant}: ${what}`);
    violations.push({ invariant, what, atMs: kernel.now - beginning, step: kernel.steps });
  };
  let restless: Begun | undefined;
  const judge: Judge = {
    watchers: [],
    violations,
    world: undefined,
    violated,
    isOver: () => violations.length > 0,
    isAtRest: () => {
      // What was not at rest when it was asked last rarely is now: the others need not be asked yet.
      if (restless && isRestless(restless)) return false;
      restless = begun.find(({ watcher }) => isRestless(watcher))?.watcher;
      return restless === undefined;
    },
    settleUnrest: () => {
      for (const { name, watcher } of begun) for (const what of watcher.unrest?.() ?? []) violated(name, what);
    },
  };
  const begun = watched.map(({ name, begin }) => ({
    name,
    watcher: begin({ kernel, world: () => judge.world!, violated: (what) => violated(name, what) }),
  }));
  return Object.assign(judge, { watchers: begun.map(({ watcher }) => watcher) });
}
