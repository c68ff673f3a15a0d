import { beforeEach, describe, expect, it } from 'vitest';
import { showFingerprint } from '../../../lib/core/ids.ts';
import { noIndex, readToken, type Token } from '../../../lib/identity/token.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

/** What a daemon's newest token says. */
const tokenOf = ({ token }: Daemon): Token => readToken(token!, { id: 1, secret: new Uint8Array(32).fill(7) })!;

let world: World;
let web: Daemon;
beforeEach(async () => {
  world = await stepped();
  web = new Daemon(world, 'web1.acme.org');
});
const accept = () => world.call('POST', '/api/v1/systems/accept', { systems: [web.fp] });

describe('a machine that calls in', () => {
  it('is new until an administrator has accepted it, and is given no token', async () => {
    const first = await web.knock();

    expect([first.status, first.body]).toEqual([200, '0']);
    expect(first.headers).not.toHaveProperty('muster-token');
    expect((await web.status()).body).toBe('0');
    expect((await web.orphan()).status).toBe(204);
  });

  it('that nobody has heard of is new, and has no node to ask for', async () => {
    expect((await web.status()).body).toBe('0');
    expect(await web.orphan()).toMatchObject({ status: 404, body: { type: 'urn:muster:problem:unknown-system' } });
  });

  it('is an orphan once accepted; its first token names no node', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.knock();
    await accept();

    expect((await web.knock()).body).toBe('2');
    expect(tokenOf(web)).toMatchObject({ index: noIndex, generation: 0, confirmed: false, fp: web.fp.slice(0, 32) });
  });

  it('is told its node by its own call, the same again until it is confirmed, and onboarded then', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.accepted();

    for (let call = 0; call < 3; call++) {
      const told = await web.orphan();
      expect([told.status, told.body, told.headers['muster-watch']]).toEqual([200, 'node1.acme.org', 'node1.acme.org:4505;every=30']);
      expect((await web.status()).body).toBe('2');
    }
    expect(tokenOf(web)).toMatchObject({ index: 0, generation: 1, confirmed: false });
    expect((await web.knock({ confirmed: 'node1.acme.org' })).body).toBe('1');
    expect(tokenOf(web)).toMatchObject({ index: 0, generation: 1, confirmed: true });
    expect((await web.status()).body).toBe('1');
  });

  it('is told its node in one write, and never again for the same placement', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.accepted();
    const { meter } = world.table;
    const [before] = [meter.rowsWritten, await web.orphan()];

    expect(meter.rowsWritten - before).toBe(1);
    await web.orphan();
    await web.status();
    expect(meter.rowsWritten - before).toBe(1);
    await web.knock();
    // What a knock costs is that it is taken once.
    expect(meter.rowsWritten - before).toBe(2);
  });

  it.each(['hold', 'drain'] as const)(
    'is told the same node again while that goes on purpose (%s), and is onboarded there',
    async (mode) => {
      const node = await new Agent(world, 'node1.acme.org').start();
      await web.accepted();
      await web.orphan();
      await node.leave(mode, world.now() + 600_000);
      await world.step(6_000);

      expect(await world.call('GET', `/api/v1/nodes/${node.id}`)).toMatchObject({ body: { status: 'leaving' } });
      expect((await web.orphan()).body).toBe('node1.acme.org');
      expect((await web.orphan({ token: null })).body).toBe('node1.acme.org');
      expect((await web.knock({ confirmed: 'node1.acme.org' })).body).toBe('1');
    },
  );

  it('that was told no node yet waits while the owner of its slot admits nobody', async () => {
    const node = await new Agent(world, 'node1.acme.org').start();
    await web.accepted();
    await node.leave('hold', world.now() + 600_000);
    await world.step(6_000);

    expect((await web.orphan()).status).toBe(204);
  });

  it('confirms nothing by naming a node that it was not told', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.accepted();
    await web.orphan();

    expect((await web.knock({ confirmed: 'node2.acme.org' })).body).toBe('2');
  });

  it('waits while there is no place: 204, and when to ask again', async () => {
    await web.accepted();

    const answer = await web.orphan();

    expect(answer.status).toBe(204);
    expect(answer.body).toBeUndefined();
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(5);
    expect(answer.headers['muster-next']).toBe(answer.headers['retry-after']);
    expect(answer.headers).not.toHaveProperty('muster-token');
  });

  it('confirmed by its daemon costs no read from then on', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.onboarded();
    await web.status();
    const { meter } = world.table;
    const before = { ...meter };

    for (let call = 0; call < 50; call++) expect((await web.status()).body).toBe('1');

    expect({ ...meter }).toEqual(before);
  });
});

describe('a fingerprint in a query', () => {
  it('may have colons, encoded or not, in either case, with a token and without', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.onboarded();
    const colons = showFingerprint(web.fp).toUpperCase();

    for (const fp of [web.fp.toUpperCase(), colons, colons.replaceAll(':', '%3A')])
      for (const token of [web.token!, null]) expect((await web.status({ fp, token })).body, `${fp} ${token}`).toBe('1');
    expect((await web.status({ fp: 'no fingerprint' })).status).toBe(422);
  });
});

describe('a minion’s fingerprint', () => {
  const named = () => ({ minion: minionOf('web1', minionKeyOf('web1'), web.fp) });

  it.each([
    { when: 'with the first knock', isFirst: true },
    { when: 'with a later knock', isFirst: false },
  ])('that came $when finds the machine’s row, also to ban it', async ({ isFirst }) => {
    await web.knock(isFirst ? named() : {});
    await web.knock(isFirst ? {} : named());
    await accept();
    const { body } = await world.call('GET', `/api/v1/systems/${web.fp}`);
    const fp = (body as { minion: { fingerprint: string } }).minion.fingerprint;
    expect(fp.replaceAll(':', '')).not.toBe(web.fp);

    expect((await web.status({ fp })).body).toBe('2');
    expect(await world.call('GET', `/api/v1/systems/${fp}`)).toMatchObject({ body: { fp: web.fp } });
    await world.call('POST', '/api/v1/systems/ban', { systems: [fp] });
    expect([(await web.knock()).body, (await web.status()).body, (await web.status({ fp })).body]).toEqual(['3', '3', '3']);
  });

  it('is found by either key in one row: the first one made is its identity', async () => {
    await web.knock(named());
    await web.knock({ ...named(), facts: { os: 'sles' } });

    const rows = [...world.table.rows.values()].filter(({ key }) => key.pk.startsWith('client#'));
    expect(rows.map(({ body }) => (body as { standing: string }).standing).sort()).toEqual(['alias', 'pooled']);
  });
});

describe('a call without a token', () => {
  it('writes nothing, mints nothing, and names only a place that was granted before', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.accepted();
    await world.step(10_000);
    const without = { token: null };
    const before = structuredClone([...world.table.rows]);

    const answers = [await web.status(without), await web.orphan(without), await web.status(without)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, '2'],
      [204, undefined],
      [200, '2'],
    ]);
    for (const { headers } of answers) expect(headers).not.toHaveProperty('muster-token');
    expect([...world.table.rows]).toEqual(before);

    await web.orphan();
    const granted = structuredClone([...world.table.rows]);
    expect((await web.orphan(without)).body).toBe('node1.acme.org');
    expect((await web.status(without)).body).toBe('2');
    expect([...world.table.rows]).toEqual(granted);
  });

  it('names no place any more once its node is given up', async () => {
    const node = await new Agent(world, 'node1.acme.org').start();
    await web.accepted();
    await web.orphan();
    node.fallSilent();
    await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
    await world.step(60_000);

    expect((await web.orphan({ token: null })).status).toBe(204);
  });

  it('with a token of another machine is as one without', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.accepted();
    const other = await new Daemon(world, 'web2.acme.org').onboarded();

    expect((await web.status({ token: other.token! })).body).toBe('2');
    expect((await web.orphan({ token: other.token! })).status).toBe(204);
    expect((await web.orphan({ token: 'A'.repeat(72) })).status).toBe(204);
  });
});

it.each(['', 'a key', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n'])(
  'a minion’s key that is none (%j) is refused, and nobody shares its fingerprint',
  async (publicKey) => {
    const answer = await web.knock({ minion: { id: 'web1', publicKey, proof: 'none yet' } });

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/minion/publicKey' }] } });
  },
);
