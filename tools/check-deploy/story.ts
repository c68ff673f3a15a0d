import { randomUUID } from 'node:crypto';
import { adminRoutes } from '../../lib/admin-contract.ts';
import type { Answered, ApiClient } from '../../lib/api/client.ts';
import type { Route } from '../../lib/api/route.ts';
import type { DeadLetterView } from '../../lib/dead-letters/routes.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';
import { bodyOf, NodeActor, type SignedBy, SystemActor } from './actors.ts';
import type { Onlooker } from './onlooker.ts';
import { expected, step, until } from './progress.ts';
import type { Victim } from './signature-attacks.ts';

/** The means of the story besides the API: to listen on the outgoing bus, and to put a report on the ingest bus. */
export type Surroundings = {
  readonly call: ApiClient;
  readonly signedBy: SignedBy;
  /** Attacks the API with the id and the key of a node. */
  readonly attacked: (victim: Victim) => Promise<void>;
  readonly heard: (types: readonly string[], withinMs: number) => Promise<ReadonlyMap<string, unknown>>;
  readonly putReport: (report: { type: string }) => Promise<void>;
  /** Opens the page in a browser by a sign-in link; undefined where there is no browser. */
  readonly openPage: (link: string) => Promise<Onlooker | undefined>;
  /** Deploys once more, with a setting as `name=value`. */
  readonly redeploy: (setting: string) => Promise<void>;
};

/** Two rules of one minute may pass before the first sweep, since a schedule begins to count when its rule is made. */
const firstSweepMs = 130_000;
const soonMs = 30_000;

/**
 * The main job through the deployed API: a machine calls in, is accepted and assigned its node; the node is lost and
 * another takes over. Throws at the first step that fails.
 */
export async function story(surroundings: Surroundings): Promise<void> {
  const { call, signedBy, attacked, openPage } = surroundings;
  const first = new NodeActor(signedBy, 'node1.check.test');
  const second = new NodeActor(signedBy, 'node2.check.test');
  const system = new SystemActor(signedBy, 'client1.check.test');
  let onlooker: Onlooker | undefined;
  try {
    await step('a rule admits two hosts of a name', async () => {
      const rule = { name: 'check', nodes: 'node[1-2].check.test', left: 2 };
      bodyOf('the rules', await call(adminRoutes.addAdmissionRule, { body: rule }));
    });
    await getUp(call, first, firstSweepMs);
    onlooker = await openPage(bodyOf('a sign-in link', await call(adminRoutes.createSignInLink, { body: {} })).link);
    await onlooker?.sees(first.fqdn);
    await onboard(call, system, first);
    await rotateKeys(call, system);
    await attacked(first);
    await step('every page of the admin API can be read', () => readEverything(call, first, system));
    await getUp(call, second, soonMs);
    await onlooker?.sees(second.fqdn);
    await onlooker?.leave();
    await decideDirectly(surroundings, first, second);
    await moveOver(call, system, { from: first, to: second });
    await automate(surroundings, second);
  } finally {
    await Promise.allSettled([first.fallSilent(), second.fallSilent(), onlooker?.close()]);
  }
}

async function getUp(call: ApiClient, node: NodeActor, withinMs: number): Promise<void> {
  await step(`${node.fqdn} joins, and joins again as the same node`, () => node.join());
  await step(`${node.fqdn} sends node-up until it is acknowledged`, () => node.up());
  node.startBeating();
  await step(`${node.fqdn} is ready, and up`, async () => {
    await node.ready();
    await nodeIs(call, node, 'up', soonMs);
  });
  await step(`${node.fqdn} has its share of the map, by the sweep`, () =>
    until(`slots for ${node.fqdn}`, withinMs, async () => {
      const view = bodyOf('the node', await call(adminRoutes.getNode, { params: { id: node.id } }));
      return view.slots > 0 ? { found: view.slots } : { seen: view };
    }),
  );
}

/** From here on the endpoint of heartbeats decides on them, instead of their consumer; no node is missed meanwhile. */
async function decideDirectly({ call, redeploy }: Surroundings, ...nodes: readonly NodeActor[]): Promise<void> {
  await step('cdk deploy -c heartbeats=direct', () => redeploy('heartbeats=direct'));
  const deployedAt = new Date().toISOString();
  for (const node of nodes)
    await step(`${node.fqdn} is heard by that, and up`, () =>
      until(`a heartbeat of ${node.fqdn}`, soonMs, async () => {
        const view = bodyOf('the node', await call(adminRoutes.getNode, { params: { id: node.id } }));
        return view.status === 'up' && (view.heardAt ?? '') > deployedAt ? { found: view.heardAt } : { seen: view };
      }),
    );
}

const nodeIs = (call: ApiClient, node: NodeActor, status: string, withinMs: number): Promise<unknown> =>
  until(`${node.fqdn} to be ${status}`, withinMs, async () => {
    const view = bodyOf('the node', await call(adminRoutes.getNode, { params: { id: node.id } }));
    return view.status === status ? { found: view } : { seen: view };
  });

/** New, accepted, orphan, assigned, confirmed, onboarded. */
async function onboard(call: ApiClient, system: SystemActor, node: NodeActor): Promise<void> {
  await step('a client system knocks: 0, New', () => answers('0', () => system.knock()));
  await step('an admin accepts it', async () => {
    const { results } = bodyOf('a result', await call(adminRoutes.accept, { body: { systems: [system.fp], tags: ['check'] } }));
    expected('it to be done', results.length === 1 && results[0]!.done, results);
  });
  await step('it knocks: 2, Orphan, and is given a token', () => answers('2', () => system.knock()));
  await step(`it asks for its node: ${node.fqdn}`, () => assignedNode(system, node));
  await step('its node would accept its key, and lists it', () => nodeKnows(node, system));
  await step('it confirms: 1, Onboarded', () => answers('1', () => system.knock({ confirmed: node.fqdn })));
  await step('it asks with its token: 1', () => answers('1', () => system.status()));
}

/** With the admin function's role alone; a second time would retire a key whose tokens are in use. */
async function rotateKeys(call: ApiClient, system: SystemActor): Promise<void> {
  await step('the keys of tokens are replaced, and the token of the one before holds', async () => {
    const rotation = bodyOf('a rotation', await call(adminRoutes.rotateTokenKeys, { body: {} }));
    expected('key 2, and none retired', rotation.current === 2 && rotation.retired === undefined, rotation);
    await answers('1', () => system.status());
  });
  await step('they are not replaced again while tokens of the first are in use', async () => {
    const again = await call(adminRoutes.rotateTokenKeys, { body: {} });
    expected('409', !again.ok && again.status === 409, again);
  });
}

async function answers(byte: string, ask: () => Promise<unknown>): Promise<void> {
  const seen = await ask();
  expected(`the byte ${byte}`, seen === byte, seen);
}

const assignedNode = (system: SystemActor, node: NodeActor): Promise<unknown> =>
  until(`to be assigned ${node.fqdn}`, soonMs, async () => {
    const fqdn = await system.orphan();
    return fqdn === node.fqdn ? { found: fqdn } : { seen: fqdn ?? 'an answer to wait' };
  });

/** Waits for up to the five seconds for which a handler may use an older map. */
async function nodeKnows({ call, id }: NodeActor, system: SystemActor): Promise<void> {
  await until('the verdict accept', soonMs, async () => {
    const { verdict } = bodyOf('a verdict', await call(nodeRoutes.system, { params: { id, fp: system.fp } }));
    return verdict === 'accept' ? { found: verdict } : { seen: verdict };
  });
  await until('a list with it alone', soonMs, async () => {
    const list = bodyOf('a list', await call(nodeRoutes.systems, { params: { id } }));
    return list.systems.length === 1 && list.systems[0] === system.fp ? { found: list } : { seen: list };
  });
  bodyOf('a desired state', await call(nodeRoutes.desired, { params: { id } }));
}

/** Each of these asks the table for something else, with the admin function's own role. */
async function readEverything(call: ApiClient, node: NodeActor, system: SystemActor): Promise<void> {
  const ok = <T extends Route>(what: string, answer: Answered<T>) => void bodyOf(what, answer);
  ok('status', await call(adminRoutes.status));
  ok('settings', await call(adminRoutes.getSettings));
  ok('OpenAPI', await call(adminRoutes.openapi));
  ok('zones', await call(adminRoutes.listZones));
  ok('a zone', await call(adminRoutes.getZone, { params: { zone: 'default' } }));
  ok('nodes', await call(adminRoutes.listNodes));
  ok('systems', await call(adminRoutes.listSystems, { query: { tag: 'check' } }));
  ok('systems of a node', await call(adminRoutes.listSystems, { query: { node: node.id } }));
  ok('a system', await call(adminRoutes.getSystem, { params: { fp: system.fp } }));
  const subjects = [
    ['node', node.id],
    ['system', system.fp],
    ['zone', 'default'],
  ] as const;
  for (const [kind, id] of subjects) ok(`why ${kind}`, await call(adminRoutes.explain, { params: { kind, id } }));
  ok('counts', await call(adminRoutes.status, { query: { counts: 'yes' } }));
  // A function of its own, which follows the journal.
  await until('the search to find the system', soonMs, async () => {
    const { items } = bodyOf('a search', await call(adminRoutes.findSystems, { query: { q: `fp:${system.fp} tag:check` } }));
    return items.length === 1 ? { found: items } : { seen: items };
  });
  await until('history of the node', soonMs, async () => {
    const { items } = bodyOf('history', await call(adminRoutes.history, { params: { kind: 'node', id: node.id } }));
    return items.some(({ type }) => type === 'node.joined') ? { found: items } : { seen: items };
  });
}

/** A node stops without a report; its client system becomes an orphan and finds another. */
async function moveOver(call: ApiClient, system: SystemActor, { from, to }: { from: NodeActor; to: NodeActor }): Promise<void> {
  await step(`${from.fqdn} falls silent and is down`, async () => {
    await from.fallSilent();
    await nodeIs(call, from, 'down', 60_000);
  });
  await step('its client system asks with its token: 2, Orphan', () =>
    until('the byte 2', soonMs, async () => {
      const seen = await system.status();
      return seen === '2' ? { found: seen } : { seen };
    }),
  );
  await step(`it asks for its node: ${to.fqdn}`, () => assignedNode(system, to));
  await step('it confirms: 1, Onboarded', () => answers('1', () => system.knock({ confirmed: to.fqdn })));
}

/** Automation hears what happened, and its report takes effect. */
async function automate({ call, heard, putReport }: Surroundings, node: NodeActor): Promise<void> {
  await step('the bus has carried what happened', async () => {
    const events = await heard(
      ['node.joined', 'node.activated', 'node.suspected', 'node.lost', 'zone.node-lost', 'client.accepted', 'client.assigned'],
      soonMs,
    );
    const joined = events.get('node.joined') as { specversion?: string; type?: string } | undefined;
    expected('a CloudEvent', joined?.specversion === '1.0' && joined.type === 'node.joined', joined);
  });
  await step(`a report on the ingest bus makes ${node.fqdn} leave`, async () => {
    const report = { type: 'node.leaving', version: 1, id: randomUUID(), node: node.id, incarnation: node.boots, data: { mode: 'drain' } };
    await putReport(report);
    await nodeIs(call, node, 'leaving', soonMs);
  });
  await step('a report that is none becomes a dead letter', async () => {
    await putReport({ type: 'node.leaving' });
    await deadLetterIs(call, ({ status, deaths }) => status === 'dead' && deaths === 1);
  });
  await step('given back, it dies again and counts on; then it is dropped', async () => {
    const { id } = await deadLetterIs(call, ({ status }) => status === 'dead');
    await call(adminRoutes.redriveDeadLetters, { body: { ids: [id] } });
    await deadLetterIs(
      call,
      (deadLetter) => deadLetter.id === id && deadLetter.status === 'dead' && deadLetter.deaths === 2 && deadLetter.via === 'bus',
    );
    await call(adminRoutes.dropDeadLetters, { body: { ids: [id] } });
    await until('no dead letter', soonMs, async () => {
      const { items } = bodyOf('listDeadLetters', await call(adminRoutes.listDeadLetters));
      return items.length === 0 ? { found: true } : { seen: items };
    });
  });
}

/** The first dead letter for which `isSo` holds, once there is one. */
const deadLetterIs = (call: ApiClient, isSo: (deadLetter: DeadLetterView) => boolean): Promise<DeadLetterView> =>
  until('a dead letter', soonMs, async () => {
    const { items } = bodyOf('listDeadLetters', await call(adminRoutes.listDeadLetters));
    const found = items.find(isSo);
    return found ? { found } : { seen: items };
  });
