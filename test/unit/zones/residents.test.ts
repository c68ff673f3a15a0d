import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ZoneName } from '../../../lib/core/ids.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import { keyOf, residentPartitions, residentsPartition } from '../../../lib/ports/table/keys.ts';
import type { Key, Table } from '../../../lib/ports/table/table.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { residentRef, settling } from '../../../lib/zones/gate/resident.ts';
import { fpOf } from '../../../tools/support/builders.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { indexesStandStill } from '../../support/lagging.ts';

const emea = ZoneName.parse('emea');
/** The number of the only zone that these tests make: the default one, which comes first, has the number 1. */
const number = 2;
let world: World;
beforeEach(async () => {
  world = await stepped();
  await world.call('POST', '/api/v1/zones', { name: emea, readmit: 'auto' });
});

const remove = async () => {
  const { status, body } = await world.call('POST', '/api/v1/zones/emea/delete', {});
  return { status, says: (body as { detail?: string; because?: string }).detail ?? (body as { because: string }).because };
};
const refused = (says: string) => ({ status: 409, says: `zone emea is not empty: it has ${says}` });
const deleted = { status: 200, says: 'zone emea deleted' };

/** Those whose rows say that they came into the zone, and have not ended. */
async function residents(): Promise<string[]> {
  const partitions = Array.from({ length: residentPartitions }, (_, partition) => residentsPartition(number, partition));
  const pages = await Promise.all(partitions.map((pk) => world.table.query({ pk, limit: 5_000 })));
  return pages.flatMap(({ items }) => items.flatMap(({ key, gone }) => (gone ? [] : [key.sk]))).sort();
}

/** The first batch that names this row has it as it is now, and all the others as they are once `meanwhile` is over. */
function readsAreTorn(torn: Key, meanwhile: () => Promise<void>): void {
  const { table } = world.environment('reports') as { table: Partial<Pick<Table, 'readMany'>> };
  const readMany = table.readMany!;
  table.readMany = async (keys, how) => {
    if (!keys.some(({ pk, sk }) => pk === torn.pk && sk === torn.sk)) return readMany(keys, how);
    Object.assign(table, { readMany });
    const first = await readMany(keys, how);
    await meanwhile();
    const then = await readMany(keys, how);
    return keys.map(({ pk, sk }, i) => (pk === torn.pk && sk === torn.sk ? first[i] : then[i]));
  };
}

async function accepted(fqdn: string): Promise<Daemon> {
  const daemon = new Daemon(world, fqdn);
  await daemon.knock();
  await world.call('POST', '/api/v1/systems/accept', { systems: [daemon.fp], zone: emea });
  return daemon;
}
const ban = (...systems: string[]) => world.call('POST', '/api/v1/systems/ban', { systems });

/** A host that joins the zone by a token, and of which no plan has heard yet. */
async function joined(fqdn: string): Promise<Agent> {
  const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: fqdn, zone: emea, kind: 'salt' });
  const node = new Agent(world, fqdn);
  expect((await node.join({ token: (body as { secret: string }).secret })).status).toBe(201);
  return node;
}

/** The same host, which came up and was given up since. */
async function givenUp(fqdn: string): Promise<Agent> {
  const node = await joined(fqdn);
  await node.up();
  await node.say('node.ready');
  await world.step(10_000);
  await world.call('POST', `/api/v1/nodes/${fqdn}/drop`, {});
  await world.step(minuteMs);
  return node;
}

describe('a zone that is deleted while the indexes stand still', () => {
  it('stays with a client system that an operator accepted', async () => {
    indexesStandStill(world, 'admin');
    await accepted('web1.acme.org');
    expect(await remove()).toEqual(refused('1 client system'));
    expect((await world.call('GET', '/api/v1/zones/emea')).body).not.toHaveProperty('deletingSince');
  });

  it('stays with a client system that brought a token', async () => {
    const { body } = await world.call('POST', '/api/v1/onboarding-tokens', { zone: emea });
    const { secret, token } = body as { secret: string; token: { id: string } };
    await world.call('POST', `/api/v1/onboarding-tokens/${token.id}/revoke`, {});
    indexesStandStill(world, 'admin');
    const other = await world.call('POST', '/api/v1/onboarding-tokens', { zone: emea, uses: 1 });
    const brings = new Daemon(world, 'web1.acme.org');
    await brings.knock({ token: (other.body as { secret: string }).secret });
    await new Daemon(world, 'web2.acme.org').knock({ token: secret });
    expect(await residents()).toEqual([`client#${brings.fp}`]);
    expect(await remove()).toEqual(refused('1 client system'));
  });

  it('stays with a node that has joined and is not in its roster yet', async () => {
    indexesStandStill(world, 'admin');
    await joined('node1.acme.org');
    expect(await remove()).toEqual(refused('1 node'));
  });

  it('stays with a node that comes back after it had left', async () => {
    const node = await givenUp('node1.acme.org');
    const catchUp = indexesStandStill(world, 'admin');
    // Somebody else keeps the zone, and the deletion that is refused ends the row of the node on its way.
    const stays = await accepted('web1.acme.org');
    expect(await remove()).toEqual(refused('1 client system'));
    expect(await residents()).toEqual([`client#${stays.fp}`]);
    catchUp();
    await ban(stays.fp);
    indexesStandStill(world, 'admin');
    await node.up(1);
    await world.step(0);
    expect(await residents()).toContain(`node#${node.id}`);
    expect(await remove()).toEqual(refused('1 node'));
  });

  it('stays with a node that comes back while its row of before ends: what is read together is not of one moment', async () => {
    const node = await givenUp('node1.acme.org');
    indexesStandStill(world, 'admin');
    const stays = await accepted('web1.acme.org');
    const meanwhile = vi.fn(async () => expect(await remove()).toEqual(refused('1 client system')));
    readsAreTorn(keyOf(residentRef(number, { noun: 'node', id: node.id })), meanwhile);

    await node.up(1);
    await world.step(0);

    expect(meanwhile).toHaveBeenCalledOnce();
    expect(await residents()).toEqual([`client#${stays.fp}`, `node#${node.id}`]);
  });

  it('goes once everybody has left, whatever the indexes show, and takes their rows with it', async () => {
    const [one, two] = [await accepted('web1.acme.org'), await accepted('web2.acme.org')];
    await ban(one.fp);
    indexesStandStill(world, 'admin');
    expect(await remove()).toEqual(refused('1 client system'));
    await ban(two.fp);
    expect(await remove()).toEqual(deleted);
    expect(await residents()).toEqual([]);
  });
});

describe('the residents of a zone', () => {
  it('are counted to nobody: an acceptance is in the audit once', async () => {
    const { fp } = await accepted('web1.acme.org');
    const row = await world.table.read(keyOf(residentRef(number, { noun: 'client', id: fp })));
    expect(row).toMatchObject({ rev: 1, body: {}, because: 'it entered the zone', eventSeq: 0 });
    expect(row).not.toHaveProperty('actor');
    expect(row).not.toHaveProperty('list');
  });

  it('that have left end in several calls when they are many, and the zone stays shut meanwhile', async () => {
    const [first] = await crowdOf(1, undefined);
    const crowd = await crowdOf(2_000, keyOf(residentRef(number, first!)).pk);
    for (let from = 0; from < crowd.length; from += 90)
      await applyPlan(world.environment('admin'), { id: `crowd-${from}` }, async () => ({
        because: ['they were banned long ago'],
        changes: crowd.slice(from, from + 90).map((who) => settling(number, who, undefined)),
      }));

    expect(await remove()).toEqual({
      status: 409,
      says: 'zone emea is still being deleted: one call cannot clear all its former residents; call again to continue',
    });
    expect((await world.call('GET', '/api/v1/zones/emea')).body).toHaveProperty('deletingSince');
    expect((await residents()).length).toBe(200);
    expect(await remove()).toEqual(deleted);
    expect(await residents()).toEqual([]);
  });
});

/** So many keys that nobody has, all with a row in one partition where it matters which. */
async function crowdOf(size: number, pk: string | undefined): Promise<{ noun: 'client'; id: string }[]> {
  const crowd: { noun: 'client'; id: string }[] = [];
  for (let n = 0; crowd.length < size; n++) {
    const who = { noun: 'client', id: fpOf(`banned-${n}`) } as const;
    if (pk === undefined || keyOf(residentRef(number, who)).pk === pk) crowd.push(who);
  }
  return crowd;
}
