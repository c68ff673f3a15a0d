import type { ApiClient, Fetching } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { ZoneName } from '../../lib/core/ids.ts';
import { secondMs } from '../../lib/core/time.ts';
import { elapsedMs, newRunName, thisMachine, world } from './machine.ts';
import { type Registration, register } from './registration.ts';
import type { Configuration, Failed, Report, Second } from './report.ts';
import { namesOf, type Stage, stageOf } from './stage.ts';

/** The means of a run besides its configuration. */
export type RunMeans = {
  readonly endpoint: string;
  /** Calls as an administrator of the deployment. */
  readonly admin: ApiClient;
  /** Ends the run early; its report is made all the same. */
  readonly stop: AbortSignal;
  /** How calls of nodes and client systems are sent, if not over connections of the load test's own. */
  readonly fetching?: Fetching;
  /** Called once a second. */
  progress(second: Second): void;
};

/**
 * The result of a run, and how to clean up after it: `remove` takes everything back, `close` only what lets machines
 * in. Both give what is left.
 */
export type Ran = { readonly report: Report; remove(): Promise<string[]>; close(): Promise<string[]> };

/** The zone of a run that names none. */
const zoneOf = (run: string): ZoneName => ZoneName.parse(`loadtest-${run}`);

/** Makes a load. Throws Refused or Unreachable when it cannot begin. */
export async function runLoad(asked: Omit<Configuration, 'zone'> & { zone?: ZoneName }, means: RunMeans): Promise<Ran> {
  const run = newRunName();
  const configuration = { ...asked, zone: asked.zone ?? zoneOf(run) };
  const { zone, nodes, clients, rate, connections, bears } = configuration;
  const registered = await register(means.admin, { run, zone, pattern: namesOf(run, nodes), nodes, clients, rate });
  const { endpoint, fetching } = means;
  const stage = stageOf({ run, endpoint, fetching, zone, nodes, connections, onboardingToken: registered.onboardingToken, bears });
  const startedAt = world.now();
  try {
    const played = await play(configuration, stage, means);
    const report = reportOf({ run, startedAt, configuration, played, registered, stage, means });
    return {
      report,
      close: registered.close,
      remove: () => {
        const { nodes: ids, fps } = stage.members();
        return registered.remove(ids, fps);
      },
    };
  } finally {
    stage.stop();
  }
}

type Played = { readonly seconds: Second[]; readonly failures: readonly Failed[]; readonly totals: ReturnType<Stage['meter']['totals']> };

/**
 * How often more client systems are started: often enough that they come one after the other, not all at once each
 * second.
 */
const pumpEveryMs = 50;

/** Plays until the time is over or the run is stopped. */
async function play(configuration: Configuration, stage: Stage, means: RunMeans): Promise<Played> {
  const { clients, rate, forMs, nodes } = configuration;
  const began = elapsedMs();
  const atS = () => Math.round(elapsedMs() - began) / secondMs;
  const seconds: Second[] = [];
  const fleet = nodesIn(configuration.zone, means.admin);
  let started = 0;
  if (nodes > 0) stage.bootNodes();
  const outages = scheduled(configuration, stage, atS);
  const stops = [
    outages.stop,
    every(pumpEveryMs, () => {
      const due = Math.min(clients, Math.ceil((rate * (elapsedMs() - began)) / secondMs));
      stage.startSystems(due - started);
      started = due;
    }),
    every(secondMs, (lateMs) => {
      const second = sampled(stage, { atS: atS(), lateMs, nodes: fleet.look() });
      seconds.push(second);
      means.progress(second);
    }),
  ];
  await ended(forMs, means.stop);
  for (const stop of stops) stop();
  // Programs that are stopped now are no part of the measurement.
  return { seconds, failures: outages.failures, totals: stage.meter.totals() };
}

const sampled = (stage: Stage, { atS, lateMs, nodes }: Pick<Second, 'atS' | 'lateMs' | 'nodes'>): Second =>
  stage.meter.second({
    atS,
    lateMs: Math.round(lateMs),
    ...(nodes && { nodes }),
    clients: stage.clients(),
    silent: stage.silent(),
    waiting: stage.waiting(),
  });

/** Nodes of a zone by status, as Muster has them. Each look asks Muster again, and gives its last answer. */
function nodesIn(zone: string, admin: ApiClient): { look(): Record<string, number> | undefined } {
  let last: Record<string, number> | undefined;
  let asking = false;
  const ask = async () => {
    asking = true;
    // An administrator's call that fails leaves a gap in a curve; the measured calls tell why Muster does not answer.
    const answer = await admin(contract.status).catch(() => undefined);
    asking = false;
    last = answer?.ok ? answer.body.zones.find(({ name }) => name === zone)?.nodes : undefined;
  };
  return {
    look: () => {
      if (!asking) void ask();
      return last;
    },
  };
}

/** Silences nodes and wakes them, as the schedule says. */
function scheduled({ failures: outages }: Configuration, stage: Stage, atS: () => number) {
  const failures: Failed[] = [];
  const stops: (() => void)[] = [];
  for (const { atMs, nodes, forMs } of outages) {
    const fail = () => {
      const machines = stage.silence(nodes);
      const at = failures.push({ atS: atS(), nodes: machines.map(({ fqdn }) => fqdn) }) - 1;
      const wake = () => {
        stage.wake(machines);
        failures[at] = { ...failures[at]!, backS: atS() };
      };
      stops.push(world.after(forMs, wake));
    };
    stops.push(world.after(atMs, fail));
  }
  return {
    failures,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

/** Calls `act` with a period, and with the ms by which it is late; a late call does not shift those that follow. */
function every(periodMs: number, act: (lateMs: number) => void): () => void {
  let at = elapsedMs() + periodMs;
  let cancel = () => {};
  const next = () => {
    cancel = world.after(Math.max(0, at - elapsedMs()), () => {
      const lateMs = Math.max(0, elapsedMs() - at);
      at += periodMs * (1 + Math.floor(lateMs / periodMs));
      act(lateMs);
      next();
    });
  };
  next();
  return () => cancel();
}

/** Resolves when the time is over, or when the run is stopped. */
function ended(forMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const cancel = world.after(forMs, resolve);
    stop.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
}

type Made = {
  readonly run: string;
  readonly startedAt: number;
  readonly configuration: Configuration;
  readonly played: Played;
  readonly registered: Registration;
  readonly stage: Stage;
  readonly means: RunMeans;
};

function reportOf({ run, startedAt, configuration, played, registered, stage, means }: Made): Report {
  const { seconds, failures, totals } = played;
  const nodes = seconds.findLast((second) => second.nodes)?.nodes;
  const endedAt = world.now();
  return {
    version: 1,
    run,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    ended: means.stop.aborted ? 'interrupted' : 'time',
    muster: { endpoint: means.endpoint, deployment: registered.deployment, version: registered.version },
    machine: thisMachine(),
    configuration,
    totals: {
      seconds: (endedAt - startedAt) / secondMs,
      ...totals,
      clients: stage.clients(),
      ...(nodes && { nodes }),
      waitingMax: Math.max(0, ...seconds.map(({ waiting }) => waiting)),
      lateMaxMs: Math.max(0, ...seconds.map(({ lateMs }) => lateMs)),
    },
    failures: [...failures],
    seconds,
  };
}
