import { apiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { atMost } from '../../programs/loadtest/at-most.ts';
import { worldOf } from '../../programs/loadtest/machine.ts';
import { type Nodes, someNodes } from '../../programs/loadtest/nodes.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { admitEveryone } from '../../tools/support/everyone.ts';
import { apiAt, knowOperator, operatorIn } from '../../tools/support/operator.ts';
import { seeded } from '../../tools/support/seeded.ts';
import { signedClient } from '../../tools/support/signed-client.ts';
import { nothingAcknowledged, noting } from './acknowledged.ts';
import { type Clients, someClients } from './clients.ts';
import type { Drive } from './drivers.ts';
import { type HostProgram, type Keeper, keeperOf } from './keeper.ts';
import { namesOfNodes } from './nodes.ts';
import { type Subscriber, subscriberOf } from './subscriber.ts';
import { inTemporaryFolder } from './temporary.ts';

/** What is played. */
export type ChaosOptions = {
  readonly seed: number;
  readonly kills: number;
  /** Power cuts, each on a copy of the state. */
  readonly cuts: number;
  readonly nodes: number;
  readonly clients: number;
  readonly program: HostProgram;
  /** The longest that the host is left alone before it is killed again. */
  readonly calmMaxMs: number;
  /** How long everybody may take to be where they belong once nobody is killed any more. */
  readonly peaceWithinMs: number;
  /** Called with a line for each thing that happens. */
  say(line: string): void;
};

/** Everybody and everything that takes part. */
export type Stage = {
  readonly options: ChaosOptions;
  readonly home: string;
  readonly random: () => number;
  readonly keeper: Keeper;
  readonly drive: Drive;
  readonly nodes: Nodes;
  readonly clients: Clients;
  readonly subscriber: Subscriber;
};

/** A call that hangs must not outlive the lease it is to renew. */
const timeoutMs = 10_000;
/** Calls under way at once: by all agents together, and by all daemons. */
const [agentsMax, daemonsMax] = [32, 48] as const;

/** Sets the stage in a folder of its own, plays, and clears away, however the play ends. */
export const withStage = <T>(options: ChaosOptions, play: (stage: Stage) => Promise<T>): Promise<T> =>
  inTemporaryFolder(async (home) => {
    const over = new AbortController();
    const [port] = await freePorts(1);
    const keeper = keeperOf(home, port!, options.program);
    try {
      return await play(await stageOf(options, { home, url: `http://127.0.0.1:${port}`, keeper, over: over.signal }));
    } finally {
      over.abort();
      await keeper.kill();
    }
  });

type Place = { readonly home: string; readonly url: string; readonly keeper: Keeper; readonly over: AbortSignal };

async function stageOf(options: ChaosOptions, { home, url, keeper, over }: Place): Promise<Stage> {
  const random = seeded(options.seed);
  const ack = nothingAcknowledged();
  knowOperator(url, () => operatorIn(home));
  const api = noting(apiAt(url, { timeoutMs }), ack);
  const drive: Drive = { api, ack, world: worldOf(seeded(options.seed + 1)), over };
  let nodes: Nodes | undefined;
  const fewDaemons = atMost(daemonsMax);
  const clients = someClients(
    () => nodes!,
    drive,
    (pair) => fewDaemons.of(noting(signedClient(url, pair, { timeoutMs }), ack)),
  );
  const fewAgents = atMost(agentsMax);
  nodes = someNodes(namesOfNodes(options.nodes), {
    world: drive.world,
    over,
    knockNow: clients.knockNow,
    apiOf: (signs) => fewAgents.of(noting(apiClient(url, { timeoutMs, fetching: signs(fetch) }), ack)),
  });
  await keeper.start();
  await admitEveryone(url);
  // A node that is drained comes back as new, and nobody is there to admit it.
  await apiAt(url)(contract.editZone, { params: { zone: defaultZone }, body: { readmit: 'auto' } });
  // All of them call from this machine.
  await apiAt(url)(contract.editSettings, { body: { newKeysPerSource: 0 } });
  return { options, home, random, keeper, drive, nodes, clients, subscriber: subscriberOf(url, drive) };
}
