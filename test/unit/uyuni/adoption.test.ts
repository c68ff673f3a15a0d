import { beforeEach, describe, expect, it } from 'vitest';
import { clusterIdsRef, firstId } from '../../../lib/clients/cluster-ids/cluster-ids.ts';
import { minionTextFingerprintsOf } from '../../../lib/identity/fingerprint.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { pinsRef } from '../../../lib/zones/pins/pins.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

/* The systems that a server had before it became a node are client systems there, and nothing moves. */

let world: World;
let node: Agent;
let order: string;
beforeEach(async () => {
  world = await stepped();
  node = await new Agent(world, 'node1.acme.org').start();
  await new Agent(world, 'node2.acme.org').start();
  order = await ordered();
});

const adoption = `/api/v1/nodes/node1.acme.org/adoption`;
const ordered = async (body: object = {}): Promise<string> => {
  const reply = await world.call('POST', adoption, body);
  expect(reply).toMatchObject({ status: 202, body: { state: 'ordered', adopted: 0 } });
  return (reply.body as { order: string }).order;
};
const offered = (minion: string, more: object = {}) => {
  const { publicKey, fingerprint: fp } = minionKeyOf(minion);
  return { minion, fp, ofText: minionTextFingerprintsOf(publicKey), name: minion, machineId: `machine-${minion}`, ...more };
};
const offer = (systems: readonly { minion: string }[], more: object = {}) =>
  node.call('POST', `/nodes/${node.id}/adoption`, {
    ...{ incarnation: node.incarnation, order, total: systems.length, systems },
    ...more,
  });
const end = () => offer([], { end: {} });
const state = async () => (await world.call('GET', adoption)).body as Record<string, unknown>;
const view = async (minion: string) => (await world.call('GET', `/api/v1/systems/${minionKeyOf(minion).fingerprint}`)).body;
const idsOf = (...all: readonly number[]) =>
  Promise.all(all.map(async (n) => ((await view(named(n))) as { clusterId?: number }).clusterId));
const named = (n: number): string => `web${String(n).padStart(3, '0')}.acme.org`;

describe('the systems of a server', () => {
  it('are accepted where they are: on the list of their node, at once, pinned softly, by whoever ordered it', async () => {
    const systems = Array.from({ length: 40 }, (_, n) => offered(named(n), { number: 1_000_010_000 + n }));
    expect(await offer(systems)).toMatchObject({ status: 200, body: { open: true, after: named(39) } });
    expect((await node.desired()).body).toMatchObject({ adopt: order });
    expect(await end()).toMatchObject({ body: { open: false } });
    expect(await state()).toMatchObject({ state: 'done', total: 0, adopted: 40, known: 0, left: 0, examples: [] });
    expect((await node.desired()).body).not.toHaveProperty('adopt');
    expect(await view(named(7))).toMatchObject({
      ...{ status: 'onboarded', fqdn: named(7), pin: { hard: false }, node: { fqdn: node.fqdn } },
    });
    expect(await view(named(7))).toMatchObject({ numberThere: 1_000_010_007 });
    expect((await node.verdictOn(minionKeyOf(named(7)).fingerprint)).body).toMatchObject({ verdict: 'accept' });
    const pins = await world.table.read(keyOf(pinsRef(defaultZone)));
    expect(pins?.body).toMatchObject({ nodes: [{ soft: 40, hard: 0 }] });
    expect(((await node.systems()).body as { systems: string[] }).systems).toHaveLength(40);
  });

  it('keep their ids as cluster ids on the first server alone, and dry runs take none', async () => {
    const own = (n: number) => offered(named(n), { number: 1_000_010_000 + n });
    order = await ordered({ dryRun: true });
    await offer([own(0)], { end: {} });
    expect(await world.table.read(keyOf(clusterIdsRef()))).toBeUndefined();
    order = await ordered();
    // Of one the server has no number, and one has a number that Muster gives.
    await offer([own(0), offered(named(1)), offered(named(2), { number: firstId + 5 })], { end: {} });
    const [kept, ...others] = await idsOf(0, 1, 2);
    expect(kept).toBe(1_000_010_000);
    for (const id of others) expect(id).toBeGreaterThanOrEqual(firstId);

    const next = await new Agent(world, 'node3.acme.org').start();
    const reply = await world.call('POST', '/api/v1/nodes/node3.acme.org/adoption', {});
    const body = { incarnation: next.incarnation, order: (reply.body as { order: string }).order, total: 1, end: {} };
    const systems = [offered(named(3), { number: 1_000_010_000 }), offered(named(4), { number: 1_000_010_044 })];
    await next.call('POST', `/nodes/${next.id}/adoption`, { ...body, systems });
    const [, three, four] = await idsOf(0, 3, 4);
    expect(new Set([kept, ...others, three, four]).size).toBe(5);
    expect((await world.call('GET', '/api/v1/systems/1000010000')).body).toMatchObject({ fqdn: named(0) });
    // Both ids of all systems of a node, as a gateway translates them.
    const { items } = (await world.call('GET', '/api/v1/systems/find?q=node:node3.acme.org')).body as { items: object[] };
    expect(items).toMatchObject([
      { fqdn: named(3), minion: { id: named(3) }, clusterId: three, numberThere: 1_000_010_000 },
      { fqdn: named(4), minion: { id: named(4) }, clusterId: four, numberThere: 1_000_010_044 },
    ]);
  });

  it('are found by the fingerprints that Salt 3008 prints', async () => {
    await offer([offered('web1.acme.org')]);
    for (const text of minionTextFingerprintsOf(minionKeyOf('web1.acme.org').publicKey))
      expect((await world.call('GET', `/api/v1/systems/${text}`)).body).toMatchObject({ fqdn: 'web1.acme.org' });
  });

  it('are taken once, however often they are offered, and are known to the next order', async () => {
    const systems = [offered('a.acme.org'), offered('b.acme.org')];
    await offer(systems);
    expect(await offer(systems)).toMatchObject({ body: { open: true, after: 'b.acme.org' } });
    await offer([...systems, offered('c.acme.org')], { end: {} });
    expect(await state()).toMatchObject({ state: 'done', adopted: 3, known: 0 });
    order = await ordered();
    await offer(systems, { end: {} });
    expect(await state()).toMatchObject({ adopted: 0, known: 2, left: 0 });
  });

  it('are left where a key, a machine id or a name is that of another, with the reason', async () => {
    const other = new Daemon(world, 'other.acme.org');
    await other.accepted();
    const minion = minionKeyOf('waits.acme.org');
    const waits = new Daemon(world, 'waits.acme.org');
    await waits.knock({ minion: minionOf('waits.acme.org', minion, waits.fp) });
    await offer(
      [
        offered('a.acme.org', { machineId: 'machine-other.acme.org' }),
        offered('b.acme.org', { name: 'other.acme.org' }),
        offered('c_1', { name: 'c_1' }),
        offered('d.acme.org', { fp: node.publicKey && minionKeyOf('waits.acme.org').fingerprint, name: 'waits.acme.org' }),
        offered('e.acme.org', { machineId: '', name: 'fine.acme.org' }),
        offered('f.acme.org', { machineId: '', name: 'fine2.acme.org' }),
      ],
      { end: {} },
    );
    const { examples, ...counts } = await state();
    expect(counts).toMatchObject({ adopted: 2, left: 4 });
    expect((examples as { because: string }[]).map(({ because }) => because)).toEqual([
      'held: another key reported its machine id first, so only an administrator can accept it, by its fingerprint',
      'held: another key reported its name first, so only an administrator can accept it, by its fingerprint',
      'its name is none that a host can have',
      'its key waits in the onboarding pool: accept it there',
    ]);
    order = await ordered({ duplicates: true });
    await offer([offered('a.acme.org', { machineId: 'machine-other.acme.org' })], { end: {} });
    expect(await state()).toMatchObject({ adopted: 1, left: 0 });
  });

  it('are left where two of one server report the same, and a dry run adopts none', async () => {
    const twins = [offered('a.acme.org'), offered('b.acme.org', { machineId: 'machine-a.acme.org' })];
    await offer(twins, { end: {} });
    expect(await state()).toMatchObject({ adopted: 1, left: 1 });
    order = await ordered({ dryRun: true });
    await offer([...twins, offered('c.acme.org')], { end: {} });
    expect(await state()).toMatchObject({ dryRun: true, adopted: 1, known: 1, left: 1 });
    expect(await view('c.acme.org')).toMatchObject({ type: 'urn:muster:problem:unknown-system' });
  });

  it('are not taken for an order that another has replaced, or of a node that has joined anew', async () => {
    const before = order;
    order = await ordered();
    expect(await offer([offered('a.acme.org')], { order: before })).toMatchObject({ body: { open: false } });
    expect(await state()).toMatchObject({ state: 'ordered', adopted: 0 });
    expect(await offer([], { end: { why: 'the disk is gone' } })).toMatchObject({ body: { open: false } });
    expect(await state()).toMatchObject({ state: 'failed', why: 'the disk is gone' });
  });

  it('cannot be adopted with a node that is not up', async () => {
    await node.leave('drain');
    await world.step(1_000);
    expect(await world.call('POST', adoption, {})).toMatchObject({ body: { type: 'urn:muster:problem:refused' } });
    expect(await world.call('GET', '/api/v1/nodes/node2.acme.org/adoption')).toMatchObject({ status: 404 });
  });
});

describe('the daemon of an adopted system', () => {
  const introduced = async (more: object = {}) => {
    await offer([offered('web1.acme.org', { number: 7 })], { end: {} });
    const daemon = new Daemon(world, 'web1.acme.org');
    const minion = minionOf('web1.acme.org', minionKeyOf('web1.acme.org'), daemon.fp);
    return { daemon, reply: await daemon.knock({ minion, ...more }) };
  };

  it('is the client system from its first knock on, on the same node, and needs nobody to accept it', async () => {
    const { daemon, reply } = await introduced();
    expect(reply).toMatchObject({ status: 200, body: '1' });
    const shown = (await world.call('GET', `/api/v1/systems/${daemon.fp}`)).body;
    expect(shown).toMatchObject({ fp: daemon.fp, clusterId: 7 });
    expect((await world.call('GET', '/api/v1/systems/7')).body).toMatchObject({ fp: daemon.fp });
    expect(shown).toMatchObject({ fp: daemon.fp, status: 'onboarded', node: { fqdn: node.fqdn }, pin: { hard: false } });
    expect(await view('web1.acme.org')).toMatchObject({ fp: daemon.fp });
    expect((await daemon.status()).body).toBe('1');
    expect(((await node.systems()).body as { systems: string[] }).systems).toEqual([daemon.fp]);
    expect((await world.table.read(keyOf(pinsRef(defaultZone))))?.body).toMatchObject({ nodes: [{ soft: 1 }] });
    const { items } = (await world.call('GET', '/api/v1/systems')).body as { items: object[] };
    expect(items).toHaveLength(1);
  });

  it('waits like any other without the proof of the key of its minion', async () => {
    await offer([offered('web1.acme.org')], { end: {} });
    const daemon = new Daemon(world, 'web1.acme.org');
    expect((await daemon.knock()).body).toBe('0');
    expect((await world.call('GET', `/api/v1/systems/${daemon.fp}`)).body).toMatchObject({ status: 'new' });
    const minion = minionOf('web1.acme.org', minionKeyOf('web1.acme.org'), daemon.fp);
    expect((await daemon.knock({ minion })).body).toBe('1');
    expect((await world.call('GET', `/api/v1/systems/${daemon.fp}`)).body).not.toHaveProperty('sameMachineId');
  });

  it('is told that its client system is deleted, once that is banned', async () => {
    const { daemon } = await introduced();
    await world.call('POST', '/api/v1/systems/ban', { systems: [daemon.fp] });
    expect((await daemon.knock()).body).toBe('3');
  });

  it('is deleted where the adopted key was banned before', async () => {
    await offer([offered('web1.acme.org')], { end: {} });
    await world.call('POST', '/api/v1/systems/ban', { systems: [minionKeyOf('web1.acme.org').fingerprint] });
    const daemon = new Daemon(world, 'web1.acme.org');
    expect((await daemon.knock({ minion: minionOf('web1.acme.org', minionKeyOf('web1.acme.org'), daemon.fp) })).body).toBe('3');
  });
});
