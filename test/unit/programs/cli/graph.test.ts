import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Edge, Vertex } from '../../../../lib/graph/graph.ts';
import { ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';

const vertex = (kind: Vertex['kind'], name: string, label = name, facts?: Vertex['facts']): Vertex => ({
  id: `${kind} ${name}`,
  kind,
  label,
  ...(facts && { facts }),
});
const edge = (from: string, relation: Edge['relation'], to: string): Edge => ({ from, relation, to });
const [host, node] = [vertex('host', 'ssu1.acme.org'), vertex('node', 'n0123456789abcdef', 'ssu1.acme.org', { status: 'up' })];
const process = vertex('process', '0x7200000000000001:0x2', '10.0.0.1@tcp:12345:41:401', { state: 'online', pid: 17 });
const device = vertex('device', '0x6400000000000001:0x4', 'wwn-0x1');

let fake: FakeDeployment;
beforeAll(async () => {
  fake = await FakeDeployment.start({
    graph: ({ query }) => {
      const { cursor, devices } = query as { cursor?: string; devices?: string };
      return cursor === undefined
        ? {
            vertices: [vertex('zone', 'lab'), host, node],
            edges: [edge('zone lab', 'has', host.id), edge(host.id, 'runs', node.id)],
            next: 'more',
          }
        : {
            vertices: [process, ...(devices === 'true' ? [device] : [])],
            edges: [edge(host.id, 'runs', process.id), ...(devices === 'true' ? [edge(process.id, 'is parent of', device.id)] : [])],
          };
    },
  });
});
afterAll(() => fake.stop());

const graph = (...words: string[]) => ran(`graph ${words.join(' ')} --zone lab`, { env: { MUSTER_ENDPOINT: fake.url } });

describe('muster graph', () => {
  it('shows a thing by its fid, with what it has to do with', async () => {
    const { out, code } = await graph('show', '0x7200000000000001:0x2');
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
      'process 0x7200000000000001:0x2 (10.0.0.1@tcp:12345:41:401)',
      '  state  online',
      '  pid    17',
      'FROM                RELATION  TO',
      'host ssu1.acme.org  runs      process 0x7200000000000001:0x2 (10.0.0.1@tcp:12345:41:401)',
      '',
    ]);
  });

  it('asks which one is meant when several may be', async () => {
    const { out, err, code } = await graph('show', 'ssu1');
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toContain("may mean 'host ssu1.acme.org', 'node n0123456789abcdef'");
  });

  it('means the host by its name', async () => {
    const { out, code } = await graph('show', 'SSU1.acme.org');
    expect([code, out.split('\n')[0]]).toEqual([0, 'host ssu1.acme.org']);
  });

  it('says that nothing is called so, and what was not looked at', async () => {
    const { err, code } = await graph('show', 'nothing');
    expect(code).toBe(1);
    expect(err).toContain('is called nothing. Search more of the graph: --devices, --systems');
  });

  it('finds the way from one thing to another, and reads devices where one is meant', async () => {
    const { out, code } = await graph('path', 'n0123456789abcdef', '0x6400000000000001:0x4');
    expect(code).toBe(0);
    expect(
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/\s{2,}/)),
    ).toEqual([
      [host.id, 'runs', node.id],
      [host.id, 'runs', process.id],
      [process.id, 'is parent of', device.id],
    ]);
  });

  it('exports all pages, as JSON and for Graphviz', async () => {
    expect(JSON.parse((await graph('export')).out)).toMatchObject({
      vertices: [{ id: 'zone lab' }, host, node, process],
      edges: [{}, {}, {}],
    });
    const { out } = await graph('export', '--format', 'dot');
    expect(out.split('\n')).toHaveLength(11);
    expect(out).toContain('"host ssu1.acme.org" -> "process 0x7200000000000001:0x2" [label="runs"];');
  });
});
