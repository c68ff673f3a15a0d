import { beforeEach, describe, expect, it } from 'vitest';
import type { MachineKey } from '../../../lib/access/machine-keys.ts';
import type { Client } from '../../../lib/clients/client.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { stepped, type World, type WorldReply } from '../../../tools/support/stepped.ts';
import { justBefore, writes } from '../../support/just-before.ts';

/*
 * A node and a client system come with one key at the same moment: each has looked whether the key is free before the
 * other has it. One of the two gets it, whichever commits first, and the other is told so.
 */

const name = 'web1.acme.org';
let world: World;
let node: Agent;
let system: Daemon;
beforeEach(async () => {
  world = await stepped();
  await new Agent(world, 'node1.acme.org').start();
  node = new Agent(world, name);
  system = new Daemon(world, name);
});

const inUse = { status: 409, body: { type: 'urn:muster:problem:key-in-use' } };
const clientPk = (): string => keyOf({ noun: 'client', id: system.fp }).pk;
const bodyOf = async <T>(noun: string, id: string): Promise<T | undefined> => {
  const row = await world.table.read(keyOf({ noun, id }));
  return row?.gone ? undefined : (row?.body as T | undefined);
};
/** Whose the key is, by each of the rows that may say so. */
const owners = async (): Promise<string[]> => [
  ...((await bodyOf<Client>('client', system.fp)) ? ['client'] : []),
  ...((await bodyOf<MachineKey>('key', system.fp)) ? ['node'] : []),
];

describe('one key of two machines', () => {
  it('is the client system’s when that commits while the node joins', async () => {
    justBefore(world, writes(keyOf({ noun: 'node', id: node.id }).pk), () => system.knock());
    expect(await node.join()).toMatchObject(inUse);
    expect(await owners()).toEqual(['client']);
  });

  it('is the node’s when that commits while the client system knocks', async () => {
    let joined: WorldReply | undefined;
    justBefore(world, writes(clientPk()), async () => {
      joined = await node.join();
    });
    expect(await system.knock()).toMatchObject(inUse);
    expect(joined).toMatchObject({ status: 201 });
    expect(await owners()).toEqual(['node']);
  });

  it('is the node’s also when the client system was known, and is forgotten while it knocks', async () => {
    await system.knock();
    const known = await world.table.read(keyOf({ noun: 'client', id: system.fp }));
    world.sleep(known!.expiresAt! - world.now() - 1);
    const isAny = () => true;
    justBefore(world, isAny, async () => {
      world.sleep(2);
      await node.join();
    });
    expect(await system.knock({ facts: { os: 'another' } })).toMatchObject(inUse);
    expect(await bodyOf<MachineKey>('key', system.fp)).toMatchObject({ owner: { noun: 'node', id: node.id } });
  });

  it('is the client system’s when a node that changes keys would take it', async () => {
    const member = await new Agent(world, 'node2.acme.org').start();
    await member.rotate(keyPairOf(name));
    justBefore(world, writes(keyOf({ noun: 'node', id: member.id }).pk), () => system.knock());
    expect(await member.beat()).toMatchObject(inUse);
    expect(await owners()).toEqual(['client']);
  });
});
