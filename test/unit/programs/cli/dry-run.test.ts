import { describe, expect, it } from 'vitest';
import type { ZonePreview } from '../../../../lib/assembly/preview/routes.ts';
import { Fqdn, NodeId, ZoneName } from '../../../../lib/core/ids.ts';
import { ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { aNode } from './views.ts';

const nodeOf = (n: number) => ({ index: n, node: NodeId.parse(`n000000000000000${n}`), fqdn: Fqdn.parse(`node${n}.acme.org`) });
const said: ZonePreview = {
  zone: ZoneName.parse('default'),
  what: 'drop node7.acme.org',
  mapVersion: 17,
  slots: 1_024,
  moved: { slots: 512, systemsAbout: 52, nodes: 1 },
  waiting: { slots: 0, systemsAbout: 0 },
  others: [],
  nodes: [
    { ...nodeOf(7), standing: 'dropped', slots: { before: 512, after: 0 }, systemsAbout: { before: 52, after: 0 } },
    { ...nodeOf(8), standing: 'up', slots: { before: 512, after: 1_024 }, systemsAbout: { before: 50, after: 102 }, room: 12 },
    { ...nodeOf(9), standing: 'up', slots: { before: 0, after: 0 }, systemsAbout: { before: 0, after: 0 } },
  ],
  guards: [{ rule: 7, because: 'rule 7: 2 of 3 nodes fell silent', overruledBy: 'muster node drop node7.acme.org --overrule 7' }],
  forecast: { because: 'the last slot moves after 5 s' },
  because: ['an operator gives it up'],
  isComplete: true,
  moves: 'BQAAAAYABgA=',
};

/** What a command prints against a deployment that has this preview, and the calls that it made. */
async function dry(line: string, preview: ZonePreview = said) {
  const fake = await FakeDeployment.start({ getNode: () => aNode(), previewZone: () => preview });
  try {
    const printed = await ran(line, { env: { MUSTER_ENDPOINT: fake.url } });
    return { ...printed, calls: fake.received.map(({ route, received }) => [route, received.query]) };
  } finally {
    await fake.stop();
  }
}

describe('a dry run', () => {
  it('of a drop looks as recorded, asks nothing, and makes no other call', async () => {
    const { out, err, code, calls } = await dry('node drop node7.acme.org --dry-run');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    await expect(out).toMatchFileSnapshot('golden/dry-run-drop.out');
    expect(calls).toEqual([
      ['getNode', undefined],
      ['previewZone', { drop: aNode().id }],
    ]);
  });

  it.each([
    ['node leave node7.acme.org --dry-run', { drain: aNode().id }],
    ['node replace node7.acme.org node9.acme.org -n', { replace: aNode().id, with: 'node9.acme.org' }],
    ['node set node7.acme.org --weight 2 --dry-run', { weight: `${aNode().id}:2` }],
    ['zone set default --mode recovery --meanwhile hold --dry-run', { mode: 'recovery', meanwhile: 'hold' }],
    ['zone preview default --lose rack=r1,node7.acme.org', { lose: 'rack=r1,node7.acme.org' }],
    ['zone set default --remap-after usual --freeze off --dry-run', { remapAfterMs: 'usual', freeze: 'off' }],
  ])('%s › previews what would be ordered', async (line, query) => {
    const { code, calls } = await dry(line);
    expect(code).toBe(0);
    expect(calls.at(-1)).toEqual(['previewZone', query]);
  });

  it.each([
    ['node leave node7.acme.org --hold --until 2h --dry-run', '--hold cannot be previewed: it moves no client system by itself\n'],
    ['node set node7.acme.org --capacity 100 --dry-run', 'capacity cannot be previewed: only --weight can\n'],
    ['zone set default --rto 4h --dry-run', 'rtoMs cannot be previewed: it moves no client system\n'],
  ])('%s › says in a line that there is nothing to see', async (line, out) => {
    expect(await dry(line)).toMatchObject({ code: 0, out, calls: [] });
  });

  it('gives the answer itself with -o json', async () => {
    const { out, err } = await dry('node drop node7.acme.org --dry-run -o json');
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual(said);
  });

  it('shows what a storage cluster would lose, and whether a majority of its stations stays', async () => {
    const storage = {
      hosts: [Fqdn.parse('ssu1.acme.org')],
      processes: [
        {
          process: '0x7200000000000001:0x2d' as never,
          host: Fqdn.parse('ssu1.acme.org'),
          type: 'M0d',
          level: 1,
          services: [{ service: '0x7300000000000001:0x2e' as never, type: 'CST_IOS' }],
          devices: 4,
        },
      ],
      totals: { processes: 1, services: 1, devices: 4 },
      levels: [{ level: 1, lost: 1, of: 2 }],
      reached: 0,
      level: 3,
      liveness: ['Quorum would be lost.'],
      services: [],
    };
    const { out } = await dry('node drop ssu1.acme.org -n', {
      ...said,
      storage,
      stations: { stations: 3, needed: 2, heard: 1, isQuorate: false },
    });
    await expect(out).toMatchFileSnapshot('golden/dry-run-storage.out');
  });
});
