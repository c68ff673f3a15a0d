import { beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { grownBetween, mayGrow } from '../../../../tools/bench/scale/growth.ts';
import { aSeededTable, clientAt, type ScaleSize } from '../../../../tools/bench/scale/seed.ts';
import { aScaleSite } from '../../../../tools/bench/scale/site.ts';
import scale from '../../../../tools/bench/scale.json' with { type: 'json' };
import { playedAtEverySize, type Scale, scaleSizes } from '../../../../tools/bench/scale.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';

const [few, many, wide] = scaleSizes as readonly [ScaleSize, ScaleSize, ScaleSize];

describe('the units of every operation', () => {
  let played: readonly Scale[] = [];
  beforeAll(async () => {
    played = await playedAtEverySize();
  }, 240_000);

  it('are the same for 1,000 and 100,000 client systems, but where a list or a bitmap of them is handed over', () => {
    expect(grownBetween(played[0]!, played[1]!, { from: few, to: many })).toEqual([]);
    const lists = Object.entries(mayGrow).filter(([, { client, clientOfNode }]) => client ?? clientOfNode);
    expect(lists.map(([operation]) => operation)).toEqual([
      'count of a zone',
      'list of its client systems, new',
      'list of its client systems, as before',
      'list of a node with pins, new',
      'list of a node with pins, as before',
      'heartbeat with a digest',
    ]);
  });

  it('are for 500 nodes what they are for 10, but where a map or the nodes themselves are read', () => {
    expect(grownBetween(played[1]!, played[2]!, { from: many, to: wide })).toEqual([]);
  });

  it('are what docs/table.md says, to within a tenth', () => {
    const again = 'an operation uses other units than before: node tools/bench/units.ts --write && npm run -s docs';
    expect(scale.sizes).toEqual(scaleSizes);
    for (const [n, now] of played.entries()) {
      const then = scale.played[n] as Scale;
      expect(Object.keys(then), again).toEqual(Object.keys(now));
      for (const [operation, { reads, writes }] of Object.entries(now))
        for (const [is, was] of [
          [reads, then[operation]!.reads],
          [writes, then[operation]!.writes],
        ] as const)
          expect(Math.abs(is - was), `${operation}: ${is}, not ${was}; ${again}`).toBeLessThanOrEqual(Math.max(2, was / 10));
    }
  });

  it('may grow only where there is such an operation', () => {
    expect(Object.keys(mayGrow).filter((operation) => !Object.hasOwn(played[0]!, operation))).toEqual([]);
  });
});

describe('an operation that looks at every client system of a lost node', () => {
  const walked = async (clients: number): Promise<Scale> => {
    const site = aScaleSite({ clients, nodes: 10 });
    const { table } = site.shell;
    await site.goOn('node lost, client by client', async () => {
      for (let n = 0; n < clients; n += 10) await table.read(keyOf({ noun: 'client', id: clientAt(n) }));
    });
    return Object.fromEntries(site.played);
  };

  it('is found out', async () => {
    const [small, large] = [
      { clients: 1_000, nodes: 10 },
      { clients: 4_000, nodes: 10 },
    ];
    const grown = grownBetween(await walked(small.clients), await walked(large.clients), { from: small, to: large });
    expect(grown).toEqual([{ operation: 'node lost, client by client', of: 'reads', from: 100, to: 400 }]);
  });
});

describe('a seeded table', () => {
  it('holds as many client systems as it is asked for, on all its nodes', () => {
    const { table } = aShell({}, aSeededTable({ clients: 200, nodes: 3 }));
    const clients = [...table.rows.values()].filter(({ key }) => key.sk === 'client');
    expect(clients).toHaveLength(200);
    expect(new Set(clients.map(({ body }) => (body as { told: { node: string } }).told.node)).size).toBe(3);
  });
  it('holds client systems with what each has of its own', () => {
    const own = (n: number) => ({ tags: [`t${n}`] });
    const clients = [...aSeededTable({ clients: 3, nodes: 1, own }).values()].filter(({ key }) => key.sk === 'client');
    expect(clients.map(({ body }) => (body as { tags: string[] }).tags)).toEqual([['t0'], ['t1'], ['t2']]);
  });
});
