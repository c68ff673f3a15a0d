import { gatewayConfigOf, gatewayFaults } from './gateway/config.ts';
import { between, oneOf, randomOf, rateOf } from './random.ts';

/** Every kind of fault, with what it does. Each can be switched off by itself. */
export const faultKinds = {
  throttle: 'the table or a queue refuses a call before it has done anything',
  'lost-answer':
    'a call is carried out, and its answer is lost: the caller is told of a transient failure, or sends again and meets its own commit',
  conflict: 'a commit is refused as if another had been faster',
  'index-lag': 'indexes fall behind the rows, for minutes',
  duplicate: 'a message, a batch of the feed or an event is handed over again',
  reorder: 'messages and events overtake each other',
  delay: 'messages, batches of the feed and events are late, by seconds or minutes',
  'dead-letter': 'everything fails for one message, as often as it is received',
  'partial-batch': 'the bus accepts a part of what is published, a queue a part of what is sent',
  crash: 'a function is killed at any await',
  'time-out': 'a call hangs, before or after it was carried out, until the function is out of time',
  freeze: 'an environment stands still for seconds at any await, and goes on with what it had read',
  deploy: 'functions of two versions serve side by side while a deploy is rolled out',
  asleep: 'the control plane stands still for half an hour, and nobody is heard',
  away: 'machines and the control plane are all switched off for weeks: tokens and pooled keys run out, time to live removes rows',
  partition: 'an agent or a daemon cannot reach Muster, or its answers are lost',
  restart: 'machines, agents and daemons are restarted, killed or stay off',
  'lost-disk': 'a machine loses its folder and begins anew',
  clone: 'two machines run with one key and ledger, or one boot id',
  skew: 'clocks of machines are up to ten minutes off, those of environments a little',
  poison: 'what can never succeed is put on the ingest bus',
  closed: 'no rule lets hosts in: each brings a join token, or waits until somebody admits it',
  'stolen-token': 'another machine brings the join token of a host, before it or after',
  replay: 'calls of machines are captured on their way and made again, as they were or changed',
  'new-key': 'a node takes another key while it works',
  removed: 'an operator removes a node, and its host comes back all the same',
  'stolen-key': 'automation works by an API key that runs out, is stolen and is revoked',
  impostor: 'somebody knocks as machines that are others, and who was banned comes back in another shape',
  'found-token': 'machines bring onboarding tokens that are revoked, run out and are found by others',
  'new-token-key': 'the keys that sign membership tokens are replaced while they are in use',
  switched: 'open calls and clients that never sign are switched off and on',
  outsider: 'an administrator of another zone reaches for what is not his',
  hang: 'the agent of a machine stands still, or what runs beside it is killed too: its kernel takes connections, and nobody answers them',
  'powered-off': 'client systems are switched off, one or many at once, or only what their nodes see of them ends, for minutes',
  ...gatewayFaults,
} as const;
export type FaultKind = keyof typeof faultKinds;
export const faultNames = Object.keys(faultKinds) as FaultKind[];

/** What happens once in a world that is made for it, always in the same way. */
export const incidents = [
  ...(['part', 'rack', 'frozen', 'witnesses', 'flapping', 'replacement', 'recovery', 'readmission'] as const),
  'breakdown',
  'crash-loop',
  'interruption',
  'lapse',
  'no-queues',
  'outage',
  'restoration',
] as const;
export type Incident = (typeof incidents)[number];

/** Everything that makes a history besides the code: the same configuration is the same history. */
export type Config = {
  readonly seed: number;
  /**
   * Whether this is a history of the gateway before Uyuni servers, and of nothing else; absent is one of a deployment.
   * `clients` are then the systems of all servers, and `admins` the people who call.
   */
  readonly gateway?: boolean;
  /** `aws`: an environment of its own for each function and call; `embedded`: one for everything. */
  readonly shape: 'aws' | 'embedded';
  /** How likely each fault is where it could happen, 0 to 1; absent is never. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  readonly nodes: number;
  readonly clients: number;
  readonly admins: number;
  /** Whether something puts reports on the ingest bus. */
  readonly automation: boolean;
  /** Slots of the zone: 1,024 keeps the map in one row, more keeps it in pages and deltas. */
  readonly slots: number;
  /** How often nodes admit a client that was moved to them, in ms; absent is any number at once. */
  readonly admitEveryMs?: number;
  /**
   * Whether nodes measure what they bear, and somebody sets whether rates follow that; absent is neither, and no seed
   * draws it.
   */
  readonly adapts?: boolean;
  /** How many client systems each host declares that it can bear; absent is nothing, and no seed draws it. */
  readonly capacity?: number;
  /** Whether every third machine is a clone that says the machine id of another; absent is none. */
  readonly clones?: boolean;
  /**
   * Whether every third machine has the name of another, and somebody puts the one in the place of the other; absent is
   * none.
   */
  readonly namesakes?: boolean;
  /** Whether daemons name their boots, and machines that are copied speak in turns; absent is none. */
  readonly boots?: boolean;
  /** Whether hosts are Uyuni servers on which things change, which their agents report; absent is no. */
  readonly changes?: boolean;
  /** Whether hosts had systems before they became nodes, and somebody adopts them; absent is no. */
  readonly legacy?: boolean;
  /** Whether hosts are Uyuni servers that somebody enters by tickets; absent is no. */
  readonly enters?: boolean;
  /** Whether hosts are Uyuni servers whose common content somebody edits; absent is no. */
  readonly edits?: boolean;
  /** Whether hosts are Uyuni servers, and somebody has them act on client systems; absent is no. */
  readonly acts?: boolean;
  /** Whether machines ask to be watched where they are not, and somebody lets some of them; absent is none. */
  readonly liars?: boolean;
  /** Whether an operator and the software on nodes write metadata of client systems; absent is nobody. */
  readonly metadata?: boolean;
  /**
   * Whether somebody replaces nodes, by machines that are installed anew or by one that is there for it; absent is
   * nobody.
   */
  readonly replacement?: boolean;
  /** Whether somebody sets zones into recovery mode and freezes them; absent is nobody. */
  readonly steered?: boolean;
  /**
   * How many zones have nodes and client systems of their own, 1 to 3, as far as there are nodes; absent is the default
   * zone alone.
   */
  readonly zones?: number;
  /**
   * Whether the first host is upgraded and stays off for as long as faults happen, its node held for it; absent is no,
   * and no seed draws it.
   */
  readonly upgrade?: boolean;
  /** Whether machines come into zones that are deleted meanwhile; absent is none. */
  readonly settlers?: boolean;
  /** Whether somebody pins client systems to nodes; absent is nobody. */
  readonly pins?: boolean;
  /** How many are pinned, or let go, at once at the most; absent is one. */
  readonly pinnedAtOnce?: number;
  /** Whether somebody has events delivered to webhooks; absent is nobody. */
  readonly webhooks?: boolean;
  /** Whether there is a storage zone with hosts of its own, and somebody who keeps it; absent is none. */
  readonly storage?: boolean;
  /**
   * Whether facts are loaded into storage zones, where there is a storage zone: that one, and another that comes and
   * goes; absent is never.
   */
  readonly loads?: boolean;
  /** Whether somebody registers types of services and has services run; absent is nobody. */
  readonly services?: boolean;
  /** Whether checks by their schemas run out of time now and then, and somebody puts types again; absent is never. */
  readonly lateChecks?: boolean;
  /** Some services change their configuration themselves, and need others. */
  readonly drifts?: boolean;
  /** Whether somebody has supervisors run beside them; absent is nobody. */
  readonly supervisors?: boolean;
  /**
   * How many hosts of the default zone are its stations, as far as it has so many; absent is none. In a world with a
   * storage zone, its hosts are that zone's.
   */
  readonly stations?: number;
  /** Whether somebody has hosts power-cycled on site, where there are stations; absent is nobody. */
  readonly hands?: boolean;
  /**
   * Whether scripts on machines ask with each token as soon as they are given it; absent is none, and seeds of nights
   * alone draw it.
   */
  readonly hasty?: boolean;
  /**
   * Whether somebody asks what would happen if nodes were dropped, drained or lost; absent is nobody, and seeds of
   * nights alone draw it.
   */
  readonly previews?: boolean;
  /**
   * Whether calls are limited, and a site is brought in by a token while others call from its address, and with its
   * token from elsewhere; absent: they are not limited. Seeds of nights alone draw it.
   */
  readonly neighbours?: boolean;
  /** Whether nodes that were given up come back by themselves, flushed; absent: somebody lets them in after a while. */
  readonly readmit?: 'auto';
  /**
   * Whether there are machines without agents, in a zone of their own, that another system vouches for; absent is
   * none.
   */
  readonly vouched?: boolean;
  /** What happens once, always in the same way; absent is nothing, and no seed draws it. */
  readonly incident?: Incident;
  /** Whether doors decide on heartbeats themselves, as they do on AWS; absent has all of them go by the queue. */
  readonly hearsAtOnce?: boolean;
  /** How soon what is due may be due again and stay due, as on AWS; absent moves it each time. */
  readonly staysDueMs?: number;
  /**
   * How many rows the plan of a zone takes at the most, so that small worlds have plans to cut; absent is as many as a
   * table takes.
   */
  readonly planRows?: number;
  /** How long faults happen, in ms of virtual time; after that they end and everything must come to rest. */
  readonly faultMs: number;
  /** How long a healed world may take to come to rest, in ms of virtual time; absent is 90 minutes. */
  readonly restMs?: number;
};

const minuteMs = 60_000;

/**
 * The configuration of a seed: a swarm, in which each kind of fault is on in about every third history, at a rate of
 * its own.
 */
export function configOf(seed: number): Config {
  if (isOfSite(seed)) return ofSite(seed);
  if (isOfGateway(seed)) return gatewayConfigOf(seed);
  const random = randomOf(seed, 'configuration');
  // Each kind draws for itself, so that a kind that is added later changes no other history.
  const faults = Object.fromEntries(
    faultNames.flatMap((kind): [FaultKind, number][] => {
      const own = randomOf(seed, `configuration ${kind}`);
      if (kind in gatewayFaults || (kind === 'hang' && seed < nightsFrom)) return [];
      return own() < 0.35 ? [[kind, rateOf(own)]] : [];
    }),
  ) as Config['faults'];
  const drawn = { ...admission(seed, faults), ...orders(seed, faults), ...legacy(seed, faults) };
  return {
    seed,
    shape: random() < 0.8 ? 'aws' : 'embedded',
    faults,
    nodes: between(random, 1, 6),
    clients: between(random, 2, 24),
    admins: between(random, 0, 2),
    automation: random() < 0.5,
    slots: random() < 0.85 ? 1024 : 4096,
    ...drawn,
    ...cutting(seed, faults, drawn),
    ...clones(seed, faults),
    ...lying(seed, faults),
    ...metadata(seed),
    ...hearing(seed),
    ...staying(seed),
    ...zones(seed),
    ...settlers(seed, faults),
    ...served(seed, faults),
    ...delivering(seed, faults),
    ...haste(seed),
    ...foreseeing(seed, faults),
    ...readmitting(seed),
    ...vouching(seed, faults),
    ...identities(seed, faults),
    ...servers(seed, faults),
    ...entering(seed, faults),
    ...editing(seed, faults),
    ...acting(seed, faults),
    faultMs: minuteMs * (oneOf(random, [2, 4, 6, 10, 45]) ?? 4),
  };
}

/**
 * Nodes admit one after another in every third history. The version before knows no turns, so that it serves in none of
 * them.
 */
function admission(seed: number, { deploy }: Config['faults']): Pick<Config, 'admitEveryMs'> {
  const own = randomOf(seed, 'configuration admission');
  return deploy === undefined && own() < 0.35 ? { admitEveryMs: oneOf(own, [1_000, 15_000])! } : {};
}

/**
 * Machines are cloned in every sixth history. The version before knows of no machine id that comes twice, so that it
 * serves in none of them.
 */
const clones = (seed: number, { deploy }: Config['faults']): Pick<Config, 'clones'> =>
  deploy === undefined && randomOf(seed, 'configuration clones')() < 1 / 6 ? { clones: true } : {};

/**
 * Machines ask to be watched where they are not in every eighth history. The version before lets them, so that it
 * serves in none of them.
 */
const lying = (seed: number, { deploy }: Config['faults']): Pick<Config, 'liars'> =>
  deploy === undefined && randomOf(seed, 'configuration liars')() < 1 / 8 ? { liars: true } : {};

/** Metadata is written in every fourth history. */
const metadata = (seed: number): Pick<Config, 'metadata'> => (randomOf(seed, 'configuration metadata')() < 0.25 ? { metadata: true } : {});

/** There are zones besides the default one in every sixth history. */
function zones(seed: number): Pick<Config, 'zones'> {
  const own = randomOf(seed, 'configuration zones');
  return own() < 1 / 6 ? { zones: between(own, 2, 3) } : {};
}

/**
 * Machines come into zones that are deleted meanwhile in every tenth history. The version before goes by the index
 * alone, so that it serves in none of them.
 */
const settlers = (seed: number, { deploy }: Config['faults']): Pick<Config, 'settlers'> =>
  deploy === undefined && randomOf(seed, 'configuration settlers')() < 0.1 ? { settlers: true } : {};

/**
 * Nodes are replaced, zones set, client systems pinned, and a storage zone is there, in every fifth history each; into
 * every other storage zone facts are loaded. The version before knows none of it, so that it serves in none of them.
 */
function orders(
  seed: number,
  { deploy }: Config['faults'],
): Pick<Config, 'replacement' | 'steered' | 'pins' | 'pinnedAtOnce' | 'storage' | 'loads'> {
  const draws = (what: string): boolean => deploy === undefined && randomOf(seed, `configuration ${what}`)() < 0.2;
  return {
    ...(draws('replacement') && { replacement: true }),
    ...(draws('steered') && { steered: true }),
    ...(draws('pins') && { pins: true, ...(randomOf(seed, 'configuration pinned at once')() < 0.5 && { pinnedAtOnce: 8 }) }),
    ...(draws('storage') && { storage: true, ...(randomOf(seed, 'configuration loads')() < 0.5 && { loads: true }) }),
  };
}

/**
 * Services are ordered in every fifth history, with checks that run out of time in a third of these, beside supervisors
 * in nine of ten of these, and in every sixth there are stations, and in half of these somebody has hosts power-cycled.
 * The version before knows none of it, so that it serves in none of them.
 */
function served(
  seed: number,
  { deploy }: Config['faults'],
): Pick<Config, 'services' | 'lateChecks' | 'drifts' | 'supervisors' | 'stations' | 'hands'> {
  const manned = randomOf(seed, 'configuration stations');
  const serves = deploy === undefined && randomOf(seed, 'configuration services')() < 0.2;
  return {
    ...(serves && { services: true }),
    ...(serves && randomOf(seed, 'configuration late checks')() < 1 / 3 && { lateChecks: true }),
    ...(serves && randomOf(seed, 'configuration drifts')() < 1 / 3 && { drifts: true }),
    ...(serves && randomOf(seed, 'configuration supervisors')() < 0.9 && { supervisors: true }),
    ...(deploy === undefined &&
      manned() < 1 / 6 && { stations: between(manned, 2, 5), ...(randomOf(seed, 'configuration hands')() < 0.5 && { hands: true }) }),
  };
}

/**
 * Events are delivered to webhooks in every tenth history. The version before delivers none, so that it serves in none
 * of them.
 */
const delivering = (seed: number, { deploy }: Config['faults']): Pick<Config, 'webhooks'> =>
  deploy === undefined && randomOf(seed, 'configuration webhooks')() < 0.1 ? { webhooks: true } : {};

/** Nodes that were given up come back by themselves in every other history. */
const readmitting = (seed: number): Pick<Config, 'readmit'> => (randomOf(seed, 'configuration readmit')() < 0.5 ? { readmit: 'auto' } : {});

/** The seeds of nights are above this one: what these alone draw changes no history that tests run. */
const nightsFrom = 1_000_000_000;

/** Seeds from this one on may have machines that are vouched for: those below draw what they drew before. */
const vouchedFrom = 9_100_000;

/**
 * Machines are vouched for in every sixth history. The version before knows of none, so that it serves in none of
 * them.
 */
const vouching = (seed: number, { deploy }: Config['faults']): Pick<Config, 'vouched'> =>
  deploy === undefined && seed >= vouchedFrom && randomOf(seed, 'configuration vouched')() < 1 / 6 ? { vouched: true } : {};

/** Seeds from this one on may have machines with one name, and daemons that name their boots. */
const identitiesFrom = 9_400_000;

/**
 * Machines have one name in every sixth history, and daemons name their boots in every fourth. The version before knows
 * of neither, so that it serves in none of them.
 */
function identities(seed: number, { deploy }: Config['faults']): Pick<Config, 'namesakes' | 'boots'> {
  if (deploy !== undefined || seed < identitiesFrom) return {};
  return {
    ...(randomOf(seed, 'configuration namesakes')() < 1 / 6 && { namesakes: true }),
    ...(randomOf(seed, 'configuration boots')() < 0.25 && { boots: true }),
  };
}

/** Seeds from this one on may have Uyuni servers. */
const serversFrom = 9_700_000;

/** Hosts are Uyuni servers in every sixth history. The version before takes no changes, so that it serves in none. */
const servers = (seed: number, { deploy }: Config['faults']): Pick<Config, 'changes'> =>
  deploy === undefined && seed >= serversFrom && randomOf(seed, 'configuration servers')() < 1 / 6 ? { changes: true } : {};

/** Seeds from this one on may have hosts that had systems before. */
const legacyFrom = 9_800_000;

/** Hosts had systems before in every fifth history. The version before adopts none, so that it serves in none. */
const legacy = (seed: number, { deploy }: Config['faults']): Pick<Config, 'legacy'> =>
  deploy === undefined && seed >= legacyFrom && randomOf(seed, 'configuration legacy')() < 1 / 5 ? { legacy: true } : {};

/** Seeds from this one on may have servers that somebody enters. */
const enteringFrom = 9_900_000;

/** Somebody enters servers in every sixth history. The version before makes no tickets, so that it serves in none. */
const entering = (seed: number, { deploy }: Config['faults']): Pick<Config, 'enters'> =>
  deploy === undefined && seed >= enteringFrom && randomOf(seed, 'configuration entering')() < 1 / 6 ? { enters: true } : {};

/** Seeds from this one on may have servers whose common content somebody edits. */
const editingFrom = 3_000_085_000;

/** Somebody edits in every sixth history. The version before has no seats, so that it serves in none. */
const editing = (seed: number, { deploy }: Config['faults']): Pick<Config, 'edits'> =>
  deploy === undefined && seed >= editingFrom && randomOf(seed, 'configuration editing')() < 1 / 6 ? { edits: true } : {};

/** Seeds from this one on may have servers that act on client systems. */
const actingFrom = 3_000_090_000;

/**
 * Servers act on client systems in every sixth history. The version before has no actions, so that it serves in none.
 */
const acting = (seed: number, { deploy }: Config['faults']): Pick<Config, 'acts'> =>
  deploy === undefined && seed >= actingFrom && randomOf(seed, 'configuration acting')() < 1 / 6 ? { acts: true } : {};

/** One in thirty histories of a night is that of a site that is brought in where calls are limited. */
const isOfSite = (seed: number): boolean => seed >= nightsFrom && randomOf(seed, 'configuration site')() < 1 / 30;

/** A history of a site, with little else in it: limits would refuse what other histories are about. */
function ofSite(seed: number): Config {
  const own = randomOf(seed, 'configuration of a site');
  return {
    seed,
    shape: 'embedded',
    faults: {},
    nodes: between(own, 1, 3),
    clients: between(own, 1, 4),
    admins: 0,
    automation: false,
    slots: 1024,
    neighbours: true,
    ...hearing(seed),
    ...staying(seed),
    faultMs: minuteMs * (oneOf(own, [2, 4, 6]) ?? 2),
  };
}

/** Scripts ask with each token at once in every eighth history of a night. */
const haste = (seed: number): Pick<Config, 'hasty'> =>
  seed >= nightsFrom && randomOf(seed, 'configuration haste')() < 1 / 8 ? { hasty: true } : {};

/**
 * Somebody asks what would happen in every fourth history of a night. The version before does not answer, so that it
 * serves in none of them.
 */
const foreseeing = (seed: number, { deploy }: Config['faults']): Pick<Config, 'previews'> =>
  deploy === undefined && seed >= nightsFrom && randomOf(seed, 'configuration previews')() < 0.25 ? { previews: true } : {};

/**
 * Doors decide on heartbeats themselves in every third history: both ways must hold, since a transient failure makes
 * the one of the other.
 */
const hearing = (seed: number): Pick<Config, 'hearsAtOnce'> =>
  randomOf(seed, 'configuration hearing')() < 0.35 ? { hearsAtOnce: true } : {};

/** Nodes stay due in every third history, as they do on AWS, and sweeps see them as they were a moment ago. */
const staying = (seed: number): Pick<Config, 'staysDueMs'> =>
  randomOf(seed, 'configuration staying')() < 0.35 ? { staysDueMs: oneOf(randomOf(seed, 'how long'), [15_000, 45_000])! } : {};

/**
 * Plans have room for few rows in every eighth history: for little more than the smallest step. The version before cuts
 * none of them, so that it serves in none of them.
 */
function cutting(seed: number, { deploy }: Config['faults'], drawn: Partial<Config>): Pick<Config, 'planRows'> {
  const own = randomOf(seed, 'configuration cutting');
  // Adopted systems are pinned to their nodes.
  const pins = drawn.pins ?? drawn.legacy;
  const step = 6 + [drawn.admitEveryMs, pins, drawn.replacement].filter((one) => one !== undefined).length;
  return deploy === undefined && own() < 1 / 8 ? { planRows: between(own, step, step + 3) } : {};
}

/** Every tenth history of a night is one of the gateway: it takes a tenth of the time of another. */
const isOfGateway = (seed: number): boolean => seed >= nightsFrom && randomOf(seed, 'configuration of the gateway')() < 0.1;

/** What a seed draws: of the gateway where that is asked for. */
export const drawnBy = ({ seed, gateway }: { readonly seed: number; readonly gateway?: boolean | undefined }): Config =>
  gateway ? gatewayConfigOf(seed) : configOf(seed);

/** The same history without one kind of fault. */
export const without = (config: Config, kind: FaultKind): Config => {
  const { [kind]: _off, ...faults } = config.faults;
  return { ...config, faults };
};
