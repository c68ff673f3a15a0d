import { beforeEach, describe, expect, it } from 'vitest';
import type { JoinToken } from '../../../../lib/nodes/join-tokens/join-token.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

let world: World;
beforeEach(async () => {
  world = await stepped({ admits: 'nobody' });
});

const fqdn = 'node1.acme.org';
const foreign = '10.9.9.9:22';
const post = async <T>(path: string, body: object = {}): Promise<T> => (await world.call('POST', `/api/v1/${path}`, body)).body as T;
const aToken = (more: object = {}) =>
  post<{ secret: string; token: { id: string } }>('node-tokens', { nodes: fqdn, kind: 'salt', ...more });
type Results = { results: { done: boolean; needs?: string; because: string }[] };
const admit = async (more: object = {}) => (await post<Results>('node-pool/admit', { hosts: [fqdn], ...more })).results[0]!;
const poolNow = async () =>
  ((await world.call('GET', '/api/v1/node-pool')).body as { items: { watch: string; foreignWatch?: true; because: string }[] }).items;
const rowOf = async <T>(noun: string, id: string): Promise<T | undefined> =>
  (await world.table.read(keyOf({ noun, id })))?.body as T | undefined;
const aHost = (source = '192.0.2.7', key = fqdn): Agent => Object.assign(new Agent(world, fqdn, key), { source });

describe('a host with a token that is to be watched elsewhere', () => {
  it('is refused with what mends it, does not use its token up, and waits in the pool', async () => {
    const { secret, token } = await aToken();
    const host = aHost();
    expect(await host.join({ token: secret, watch: foreign })).toMatchObject({
      status: 403,
      body: {
        type: 'urn:muster:problem:watch-not-own',
        detail: expect.stringMatching(/--watch node1\.acme\.org:22, .* --any-watch/),
        errors: [{ pointer: '/watch', detail: `${foreign} is neither ${fqdn} nor 192.0.2.7, the source of this call` }],
      },
    });
    expect((await rowOf<JoinToken>('join-token', token.id))?.admitted).toEqual([]);
    expect(await poolNow()).toMatchObject([{ watch: foreign, foreignWatch: true, because: expect.stringContaining('not its own') }]);
    const tried = [...world.table.rows.values()].filter(({ key }) => key.sk === 'attempt').map(({ because }) => because);
    expect(tried).toEqual([`watch-not-own: ${foreign} is neither ${fqdn} nor 192.0.2.7, the source of this call`]);

    expect((await host.join({ token: secret, watch: '192.0.2.7:4505' })).status).toBe(201);
    expect(await rowOf<Node>('node', host.id)).toMatchObject({ watch: '192.0.2.7:4505' });
  });

  it('is a node where the token says so', async () => {
    const { secret, token } = await aToken({ anyWatch: true });
    const host = aHost();
    expect((await host.join({ token: secret, watch: foreign })).status).toBe(201);
    expect(await rowOf<Node>('node', host.id)).toMatchObject({ watch: foreign });
    expect((await world.table.read(keyOf({ noun: 'join-token', id: token.id })))?.because).toContain('admitted');
  });

  it('learns nothing by it from a token that is not good', async () => {
    const { secret } = await aToken({ nodes: 'node2.acme.org' });
    expect((await aHost().join({ token: secret, watch: foreign })).status).toBe(401);
    expect(await poolNow()).toEqual([]);
  });

  it('names a port that there is', async () => {
    for (const watch of [`${fqdn}:0`, `${fqdn}:00`, `${fqdn}:65536`])
      expect(await aHost().join({ watch })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/watch' }] } });
  });
});

describe('a host without a token that is to be watched elsewhere', () => {
  it('is let in by no rule but one that says so', async () => {
    await post('admission-rules', { name: 'all', nodes: '*' });
    expect((await aHost().join({ watch: foreign })).status).toBe(202);
    await post('admission-rules', { name: 'all', nodes: '*', anyWatch: true });
    expect((await aHost().join({ watch: foreign })).status).toBe(201);
  });

  it('is admitted by hand with that word alone, and watched where the operator saw it', async () => {
    const host = aHost();
    await host.join({ watch: foreign });
    expect(await admit()).toMatchObject({ done: false, needs: 'anyWatch', because: expect.stringContaining(foreign) });
    expect((await host.join({ watch: foreign })).status).toBe(202);
    expect(await admit({ anyWatch: true })).toMatchObject({ done: true });
    expect((await host.join({ watch: '10.9.9.9:23' })).status).toBe(202);
    expect(await poolNow()).toMatchObject([{ standing: 'waiting', watch: '10.9.9.9:23' }]);
    expect(await admit({ anyWatch: true })).toMatchObject({ done: true });
    expect((await host.join({ watch: '10.9.9.9:23' })).status).toBe(201);
    expect(await rowOf<Node>('node', host.id)).toMatchObject({ watch: '10.9.9.9:23' });
  });

  it('is admitted by hand, and then watched at its name all the same', async () => {
    const host = aHost();
    await host.join({ watch: foreign });
    await admit({ anyWatch: true });
    expect((await host.join()).status).toBe(201);
    expect(await rowOf<Node>('node', host.id)).toMatchObject({ watch: `${fqdn}:4505` });
  });

  it('takes nobody’s place before it is admitted with that word', async () => {
    const old = await new Agent(world, 'old.acme.org').start({ token: (await aToken({ nodes: 'old.acme.org' })).secret });
    await aHost().join({ watch: foreign });
    const replaced = () => world.call('POST', `/api/v1/nodes/${old.id}/replace`, { by: fqdn, force: true });
    expect(await replaced()).toMatchObject({ status: 409, body: { detail: expect.stringContaining('--any-watch') } });
  });
});

describe('a node that joins again', () => {
  const member = async (): Promise<Agent> => {
    const host = aHost();
    await host.join({ token: (await aToken({ anyWatch: true })).secret, watch: foreign });
    return host;
  };

  it('keeps its watch address, whatever it says, while it is a member', async () => {
    const host = await member();
    expect((await host.join({ watch: '10.9.9.9:23' })).status).toBe(201);
    expect(await rowOf<Node>('node', host.id)).toMatchObject({ watch: foreign });
  });

  it('is judged anew once it was removed, and watched where it says then', async () => {
    const node = await Object.assign(new Agent(world, fqdn), { source: '192.0.2.7' }).start({
      token: (await aToken({ anyWatch: true })).secret,
      watch: foreign,
    });
    world.sleep(1_000);
    await post(`nodes/${fqdn}/remove`);
    await world.step(10_000);
    node.fallSilent();
    const { secret } = await aToken();
    expect((await node.join({ token: secret, watch: foreign })).status).toBe(403);
    expect(await poolNow()).toEqual([]);
    expect((await node.join({ token: secret })).status).toBe(201);
    expect(await rowOf<Node>('node', node.id)).toMatchObject({ watch: `${fqdn}:4505` });
  });
});
