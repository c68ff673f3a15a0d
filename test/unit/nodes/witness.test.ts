import { describe, expect, it } from 'vitest';
import { secondMs } from '../../../lib/core/time.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

/** Three nodes that beat every 10 s, and five client systems on the first of them, each from an address of its own. */
async function world(networks: readonly number[] = [1, 1, 2, 3, 4]) {
  const made = await stepped({ zoneMaxAgeMs: 0, sweepPeriodMs: secondMs });
  const node = await new Agent(made, 'node1.acme.org').start();
  const webs: Daemon[] = [];
  for (const [n, network] of networks.entries()) {
    const web = new Daemon(made, `web${n}.acme.org`);
    web.address = `198.51.${network}.${10 + n}`;
    webs.push(await web.onboarded());
  }
  const others = [];
  for (const name of ['node2.acme.org', 'node3.acme.org']) others.push(await new Agent(made, name).start());
  // Shares move at their budget; who is still on the first node bears witness for it.
  const row = async (): Promise<Node> => (await made.table.read(keyOf({ noun: 'node', id: node.id })))!.body as Node;
  const missedBy = async (...ns: readonly number[]): Promise<void> => {
    for (const n of ns) await webs[n]!.knock({ lost: true });
  };
  return { world: made, node, webs, others, row, missedBy };
}

describe('a node that some of its client systems do not reach', () => {
  it('is down after one and a half intervals of silence, long before its lease is over', async () => {
    const { world: made, node, row, missedBy } = await world();
    await node.beat();
    node.fallSilent();
    await made.step(4_000);
    await missedBy(0, 1, 2);
    await made.step(10_000);
    expect((await row()).status).toBe('up');
    await made.step(3_000);

    expect((await row()).status).toBe('down');
    const history = (await made.call('GET', `/api/v1/history/node/${node.fqdn}`)).body as { items: { because: string }[] };
    const because = history.items.map((one) => one.because);
    expect(because.filter((one) => one.includes('suspect before its lease ran out (rule 4)'))).toHaveLength(1);
    expect(because.at(-1)).toContain('3 in 2 networks report this');
    // Networks are told, never addresses.
    expect(JSON.stringify(because)).toContain('198.51.1.0/24');
    expect(JSON.stringify(because)).not.toMatch(/198\.51\.\d+\.1\d/);
  });

  it('is shown with who has said so, while they are too few', async () => {
    const { world: made, node, missedBy } = await world();
    await node.beat();
    await made.step(1_000);
    node.fallSilent();
    await missedBy(0, 2, 2, 0);
    const { body } = await made.call('GET', `/api/v1/explain/node/${node.fqdn}`);

    expect(body).toMatchObject({
      also: expect.arrayContaining([
        {
          subject: 'rule 4',
          at: expect.any(String),
          because: expect.stringMatching(/2 in 2 networks report this \(.*\); 3 from 2 networks are needed$/),
        },
      ]),
    });
  });

  it('stays as long as it is heard, whatever they say', async () => {
    const { world: made, row, missedBy } = await world();
    for (let second = 0; second < 60; second += 5) {
      await missedBy(0, 1, 2, 3, 4);
      await made.step(5_000);
      expect((await row()).status).toBe('up');
    }
  });

  it('stays for its lease when all who say so are in one network', async () => {
    const { world: made, node, row, missedBy } = await world([1, 1, 1, 1, 1]);
    await node.beat();
    node.fallSilent();
    await made.step(4_000);
    await missedBy(0, 1, 2, 3, 4);
    await made.step(30_000);
    expect((await row()).status).toBe('up');
    await made.step(8_000);
    expect((await row()).status).toBe('down');
  });

  it('costs three writes, however many lose it', async () => {
    const { world: made, node, row, missedBy } = await world([1, 1, 2, 3, 4, 5, 6, 7]);
    await node.beat();
    node.fallSilent();
    await made.step(2_000);
    const before = (await made.table.read(keyOf({ noun: 'node', id: node.id })))!.rev;
    await missedBy(0, 1, 2, 3, 4, 5, 6, 7);

    expect((await made.table.read(keyOf({ noun: 'node', id: node.id })))!.rev).toBe(before + 3);
    expect(await row()).toMatchObject({ missed: [{}, {}, {}] });
  });

  it('is not witnessed against by whoever is on another node, was told it only, or does not sign', async () => {
    const { world: made, node, webs, row } = await world();
    const stranger = await new Daemon(made, 'stranger.acme.org').accepted();
    const told = await new Daemon(made, 'told.acme.org').accepted();
    await told.orphan();
    await node.beat();
    node.fallSilent();
    await made.step(2_000);
    for (const one of [stranger, told]) await one.knock({ lost: true });
    const [body] = webs[0]!.knocking({ lost: true });
    expect((await made.call('POST', '/system/knock', body)).status).toBe(401);
    for (const one of webs) await one.status({ lost: true });

    expect(await row()).not.toHaveProperty('missed');
  });
});
