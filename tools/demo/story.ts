import type { BodyOf } from '../../lib/api/route.ts';
import { contract } from '../../lib/contract.ts';
import type { Cast } from './cast.ts';
import type { Look } from './fleet/messages.ts';
import type { Watching } from './watching.ts';

type Accepting = NonNullable<BodyOf<typeof contract.accept>['systems']>;

/** The measurements; times in ms. */
export type Measured = {
  readonly nodes: number;
  readonly systems: number;
  readonly nodesUpMs: number;
  readonly knockedMs: number;
  /** From the first accept until the last client system was onboarded. */
  readonly onboardedMs: number;
  /** Client systems a node, while all nodes were up. */
  readonly spread: readonly number[];
  readonly lost: { readonly node: string; readonly systems: number };
  readonly downMs: number;
  /** From the kill until the last of its client systems was onboarded on another node. */
  readonly movedMs: number;
  /** Of the client systems of the other nodes, how many changed nodes, from the kill until the node was back. */
  readonly othersMoved: number;
  readonly others: number;
  /** From its start until the node was up, and until all its client systems were back. */
  readonly upAgainMs: number;
  readonly backMs: number;
  readonly calls: Readonly<Record<string, number>>;
};

/**
 * The main job, start to end: nodes up, machines accepted and onboarded, a node killed, its machines elsewhere, the
 * node back.
 */
export async function play(cast: Cast, systems: number, watching: Watching): Promise<Measured> {
  const started = watching.now();
  for (const node of cast.nodes) cast.startAgent(node);
  await watching.until('every node is up and has its share', 60_000, () => allServe(cast));
  const nodesUpMs = watching.now() - started;
  const { knockedMs, onboardedMs } = await onboard(cast, systems, watching);
  const before = await cast.look();
  const spread = cast.nodes.map((node) => on(before, node).length);
  const node = cast.nodes[Math.floor(cast.nodes.length / 2)]!;
  const { downMs, movedMs } = await lose(cast, node, before, watching);
  const { upAgainMs, backMs } = await bringBack(cast, node, before, watching);
  const end = await cast.look();
  const others = Object.entries(before.systems).filter(([, where]) => where.node !== node);
  return {
    nodes: cast.nodes.length,
    systems,
    nodesUpMs,
    knockedMs,
    onboardedMs,
    spread,
    lost: { node, systems: on(before, node).length },
    downMs,
    movedMs,
    othersMoved: others.filter(([fp, where]) => end.systems[fp]!.moves !== where.moves).length,
    others: others.length,
    upAgainMs,
    backMs,
    calls: end.calls,
  };
}

/** Fingerprints of the client systems that are onboarded on a node. */
const on = (look: Look, node: string): string[] => Object.keys(look.systems).filter((fp) => look.systems[fp]!.node === node);

/** The latest moment at which one of these came to its node. */
const lastOf = (look: Look, fps: readonly string[]): number => Math.max(...fps.map((fp) => look.systems[fp]!.since));

async function allServe({ api, nodes }: Cast): Promise<true | undefined> {
  const listed = await api(contract.listNodes, { query: {} });
  return listed.ok && listed.body.items.filter(({ status, slots }) => status === 'up' && slots > 0).length === nodes.length
    ? true
    : undefined;
}

async function onboard(cast: Cast, systems: number, watching: Watching) {
  const started = watching.now();
  cast.startFleet(systems);
  const waiting = await watching.until(`all ${systems} client systems have knocked`, 90_000, async () => {
    const found = await onboardingPool(cast);
    return found.length === systems ? found : undefined;
  });
  const accepting = watching.now();
  for (let at = 0; at < waiting.length; at += 200) {
    const answer = await cast.api(contract.accept, { body: { systems: waiting.slice(at, at + 200) } });
    const refused = answer.ok ? answer.body.results.find(({ done }) => !done)?.because : answer.problem.detail;
    if (refused !== undefined) throw new Error(`a client system was not accepted: ${refused}`);
  }
  const look = await watching.until(`all ${systems} client systems are onboarded`, 90_000, async () => {
    const now = await cast.look();
    return Object.values(now.systems).filter(({ node }) => node !== undefined).length === systems ? now : undefined;
  });
  return { knockedMs: accepting - started, onboardedMs: lastOf(look, Object.keys(look.systems)) - accepting };
}

async function onboardingPool({ api }: Cast): Promise<Accepting> {
  const found: Accepting = [];
  for (let cursor: string | undefined; ; ) {
    const page = await api(contract.listSystems, { query: { status: 'new', limit: 200, ...(cursor !== undefined && { cursor }) } });
    if (!page.ok) throw new Error(`the onboarding pool cannot be read: ${page.problem.detail}`);
    found.push(...page.body.items.map(({ fp }) => fp as Accepting[number]));
    cursor = page.body.next;
    if (cursor === undefined) return found;
  }
}

async function lose(cast: Cast, node: string, before: Look, watching: Watching) {
  const its = on(before, node);
  const killed = watching.now();
  cast.killAgent(node);
  await watching.until(`${node} is down`, 60_000, () => nodeIs(cast, node, 'down'));
  const downMs = watching.now() - killed;
  const look = await watching.until(`the ${its.length} client systems of ${node} are onboarded elsewhere`, 90_000, async () => {
    const now = await cast.look();
    return its.every((fp) => now.systems[fp]!.node !== undefined && now.systems[fp]!.node !== node) ? now : undefined;
  });
  return { downMs, movedMs: lastOf(look, its) - killed };
}

async function bringBack(cast: Cast, node: string, before: Look, watching: Watching) {
  const its = on(before, node);
  const started = watching.now();
  cast.startAgent(node);
  await watching.until(`${node} is up again`, 60_000, () => nodeIs(cast, node, 'up'));
  const upAgainMs = watching.now() - started;
  const look = await watching.until(`the ${its.length} client systems of ${node} are back`, 90_000, async () => {
    const now = await cast.look();
    return its.every((fp) => now.systems[fp]!.node === node) ? now : undefined;
  });
  return { upAgainMs, backMs: lastOf(look, its) - started };
}

async function nodeIs({ api }: Cast, node: string, status: string): Promise<true | undefined> {
  const read = await api(contract.getNode, { params: { id: node } });
  return read.ok && read.body.status === status ? true : undefined;
}
