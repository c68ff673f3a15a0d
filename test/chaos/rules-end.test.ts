import { describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import type { NodeId } from '../../lib/core/ids.ts';
import type { Machine } from '../../programs/loadtest/nodes.ts';
import type { Evidence } from './evidence.ts';
import { type Census, endRules, isAtPeace, takeCensus } from './rules-end.ts';

const machine = (fqdn: string, node: string | undefined, more: Partial<Machine> = {}): Machine =>
  ({ fqdn, isGone: false, agent: { state: () => ({ node }) }, ...more }) as Machine;

/** What the API shows where the node n1 is up and no client system is known. */
const api = (async ({ path }: { readonly path: string }) => ({
  ok: true,
  body: { items: path.endsWith('/nodes') ? [{ id: 'n1', status: 'up' }] : [] },
})) as unknown as ApiClient;

const censusOf = (...machines: Machine[]): Promise<Census> =>
  takeCensus(api, { machines, alive: () => machines.flatMap(({ agent }) => (agent?.state().node ?? []) as NodeId[]) });

/** What speaks against the nodes of a census. */
const faults = (census: Census): readonly string[] =>
  endRules(census)
    .find(({ name }) => name === 'nodes at the end')!
    .against({ history: new Map() } as unknown as Evidence);

describe('there is peace', () => {
  it('with every machine a node that is up, and those that are gone away', async () => {
    const census = await censusOf(machine('a', 'n1'), machine('b', undefined, { isGone: true, agent: undefined }));
    expect([isAtPeace(census), faults(census)]).toEqual([true, []]);
  });

  it.each([
    ['was drained, before its agent starts again', machine('b', undefined, { agent: undefined })],
    ['is about to join', machine('b', undefined)],
  ])('only once a machine that %s, is a node', async (_what, one) => {
    const census = await censusOf(machine('a', 'n1'), one);
    expect([isAtPeace(census), faults(census)]).toEqual([false, ['b is no node']]);
  });
});
