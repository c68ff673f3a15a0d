import type { ApiClient } from '../../lib/api/client.ts';
import type { SystemView } from '../../lib/clients/admin-routes.ts';
import { contract } from '../../lib/contract.ts';
import type { ZoneName } from '../../lib/core/ids.ts';
import { secondMs } from '../../lib/core/time.ts';
import { elapsedMs, world } from '../../programs/loadtest/machine.ts';
import { type Cast, castOf } from './cast.ts';
import { type Compared, compare, factsOf, given, type Recorded } from './facts.ts';

/** What a recovery test is made with; `say` is told each step. */
export type Asked = {
  readonly endpoint: string;
  /** Calls as an administrator of the deployment. */
  readonly admin: ApiClient;
  readonly zone: ZoneName;
  readonly nodes: number;
  readonly clients: number;
  /** How long any one step may take, in ms. */
  readonly withinMs: number;
  say(line: string): void;
};

/** What was recorded and compared, how long each step took in ms, and a way to look once more. */
export type Recovery = {
  readonly lost: string;
  readonly replacement: string;
  readonly before: Recorded;
  readonly compared: readonly Compared[];
  readonly tookMs: Readonly<Record<'down' | 'replaced' | 'placed', number>>;
  /** The zone's own measure of the recovery, in ms. */
  readonly measuredMs: number | undefined;
  readonly fps: readonly string[];
};

/**
 * Records the facts of client systems, destroys their node, has another machine take its place in recovery mode, and
 * records the facts again. Where each client system must be is compared as facts are: those of the lost node at the
 * replacement, everybody else where it was. `look` is called with the machines still running. Throws when a step does
 * not come to its end in time.
 */
export async function recover(asked: Asked, look: (recovery: Recovery) => Promise<void> = async () => undefined): Promise<Recovery> {
  const { admin, zone, say } = asked;
  const cast = await castOf(admin, asked);
  try {
    await until(asked, 'all nodes are up', async () => {
      const { zones } = await given('no status', admin(contract.status));
      return zones.find(({ name }) => name === zone)?.nodes['up'] === asked.nodes;
    });
    cast.startSystems();
    await until(asked, 'all client systems are onboarded', async () => cast.fps.every((fp) => cast.phase(fp) === 'onboarded'));
    await describe(admin, cast.fps);
    await given('recovery mode', admin(contract.editZone, { params: { zone }, body: { mode: 'recovery', meanwhile: 'hold' } }));
    const placed = await placesOf(admin, cast.fps);
    const victim = cast.machines.toSorted((a, b) => on(placed, b.fqdn) - on(placed, a.fqdn))[0]!;
    const before = await factsOf(admin, cast.fps);
    say(`${before.size} client systems recorded, ${on(placed, victim.fqdn)} of them on ${victim.fqdn}, which is destroyed now`);
    const tookMs = await replaced(asked, cast, victim);
    const expected = new Map([...placed].map(([fqdn, at]) => [fqdn, { node: at === victim.fqdn ? cast.spare.fqdn : at }]));
    const places = await placesOf(admin, cast.fps);
    const compared = [
      ...compare(before, await factsOf(admin, cast.fps)),
      ...compare(expected, new Map([...places].map(([fqdn, node]) => [fqdn, { node }]))),
    ].sort((a, b) => (a.fqdn < b.fqdn ? -1 : a.fqdn > b.fqdn ? 1 : 0));
    const recovery = { lost: victim.fqdn, replacement: cast.spare.fqdn, before, compared, tookMs, fps: cast.fps };
    const whole = { ...recovery, measuredMs: await measured(admin, zone, victim.fqdn) };
    await look(whole);
    return whole;
  } finally {
    cast.stop();
  }
}

/** Destroys a node and has the spare take its place; how long after the destruction each step was done, in ms. */
async function replaced(asked: Asked, cast: Cast, victim: Cast['machines'][number]): Promise<Recovery['tookMs']> {
  const { admin, say } = asked;
  const id = cast.idOf(victim)!;
  const began = elapsedMs();
  cast.destroy(victim);
  cast.boot(cast.spare);
  const statusOf = async (node: string) => {
    const answer = await admin(contract.getNode, { params: { id: node as never } });
    return answer.ok ? answer.body.status : undefined;
  };
  await until(asked, `${victim.fqdn} is down`, async () => (await statusOf(id)) === 'down');
  const down = elapsedMs() - began;
  say(`${victim.fqdn} is down; ${cast.spare.fqdn} takes its place`);
  await until(asked, `${cast.spare.fqdn} has joined`, async () => cast.idOf(cast.spare) !== undefined);
  await given('not replaced', admin(contract.replaceNode, { params: { id }, body: { by: cast.idOf(cast.spare)!, force: false } }));
  await until(asked, `${victim.fqdn} is replaced`, async () => (await statusOf(id)) === 'dropped');
  const done = elapsedMs() - began;
  say(`${victim.fqdn} is replaced; its client systems are awaited there`);
  const isBack = async () => [...(await placesOf(admin, cast.fps)).values()].every((node) => isOn(cast, node) && node !== victim.fqdn);
  // Who is not back in time is a difference, and no failure of the test: it is told which.
  await until(asked, 'all client systems are onboarded again', isBack).catch((error: unknown) => say(String(error)));
  return { down, replaced: done, placed: elapsedMs() - began };
}

/** Gives every client system tags and groups of its own, three documents, and a history that was appended to twice. */
async function describe(admin: ApiClient, fps: readonly string[]): Promise<void> {
  for (const [n, fp] of fps.entries()) {
    const params = { fp: fp as never };
    const body = { tags: [n % 2 === 0 ? 'db' : 'web', `rack:${n % 3}`], groups: [`site-${n % 4}`] };
    await given('not tagged', admin(contract.editSystem, { params, body }));
    const documents = { channels: { base: 'sle-15-sp7', child: [`tools-${n}`, 'updates'] }, keys: { activation: `1-key-${n}` } };
    for (const [kind, document] of Object.entries(documents))
      await given('not put', admin(contract.putMetadata, { params: { ...params, kind: kind as never }, body: { document } }));
    const history = { ...params, kind: 'actions' as never };
    for (const action of ['registered', 'patched'])
      await given('not appended', admin(contract.appendMetadata, { params: history, body: { entries: [{ action, n }] } }));
  }
}

/** The node that each client system is confirmed on, by name; its status where it is on none. */
async function placesOf(admin: ApiClient, fps: readonly string[]): Promise<Map<string, string>> {
  const placeOf = ({ status, node }: SystemView): string => (status === 'onboarded' && node?.confirmed ? (node.fqdn ?? 'unknown') : status);
  const views = await Promise.all(fps.map((fp) => given('no client system', admin(contract.getSystem, { params: { fp } }))));
  return new Map(views.map((view) => [view.fqdn, placeOf(view)]));
}

const isOn = ({ machines, spare }: Cast, node: string): boolean => node === spare.fqdn || machines.some(({ fqdn }) => fqdn === node);
const on = (places: ReadonlyMap<string, string>, fqdn: string): number => [...places.values()].filter((node) => node === fqdn).length;

/** How long the zone says that it took to recover from a loss. */
async function measured(admin: ApiClient, zone: ZoneName, fqdn: string): Promise<number | undefined> {
  const { recoveries = [] } = await given('no zone', admin(contract.getZone, { params: { zone } }));
  const one = recoveries.find((recovery) => recovery.fqdn === fqdn);
  return one?.placedAt === undefined ? undefined : Date.parse(one.placedAt) - Date.parse(one.since);
}

async function until({ withinMs }: Asked, what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const began = elapsedMs(); !(await holds()); await new Promise<void>((resolve) => world.after(100, resolve)))
    if (elapsedMs() - began > withinMs) throw new Error(`after ${withinMs / secondMs} s it is not so that ${what}`);
}
