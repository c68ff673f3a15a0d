import { beforeAll, describe, expect, it } from 'vitest';
import type { Explanation, HistoryView } from '../../../lib/assembly/explain/routes.ts';
import type { AuditView } from '../../../lib/audit/routes.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

let world: World;
let node: Agent;
let web: Daemon;
let explained: Explanation;
beforeAll(async () => {
  world = await stepped();
  node = await new Agent(world, 'node1.acme.org').start();
  web = await new Daemon(world, 'web1.acme.org').onboarded();
  await world.call('PATCH', `/api/v1/nodes/${node.id}`, { weight: 2 });
  explained = (await world.call('GET', `/api/v1/explain/node/${node.id}`)).body as Explanation;
  await world.call('PATCH', '/api/v1/settings', { beatMinMs: 2_000 });
  await world.call('POST', `/api/v1/nodes/${node.id}/drop`, {});
  await world.call('GET', '/api/v1/nodes', undefined, { authorization: 'Bearer mak_4q7xk2m9w0ab_nonsense_000000' });
  await world.step(0);
});

const list = async (query = ''): Promise<AuditView[]> =>
  ((await world.call('GET', `/api/v1/audit?limit=200${query}`)).body as { items: AuditView[] }).items;

describe('the audit of a deployment', () => {
  it('has each thing that its operator did, by call, in the chain of its zone, and in the history of what changed', async () => {
    const items = await list();
    const ofNode = items.filter(({ what }) => what.noun === 'node' && what.id === node.id && what.row === 'node');
    expect(ofNode.map(({ who, zone, did, fields }) => ({ who, zone, did, fields: fields?.includes('weight') }))).toEqual([
      { who: 'operator', zone: 'default', did: 'changed', fields: true },
      { who: 'operator', zone: 'default', did: 'changed', fields: false },
    ]);
    expect(new Set(ofNode.map(({ request }) => request)).size).toBe(2);
    expect(items.find(({ what }) => what.noun === 'client')).toMatchObject({ who: 'operator', zone: 'default' });
    expect(items.find(({ what }) => what.noun === 'deployment')).toMatchObject({ who: 'operator', zone: '-' });

    const { body } = await world.call('GET', `/api/v1/history/system/${web.fp}`);
    const told = (body as { items: HistoryView[] }).items.map(({ type, who }) => [type, who]);
    expect(told).toContainEqual(['client.accepted', 'operator']);
    const edited = { subject: 'edited by operator', because: 'edited by an operator', at: expect.any(String) };
    expect(explained).toMatchObject({ because: 'ready: it can take client systems', also: expect.arrayContaining([edited]) });
  });

  it('has what was refused, with the true reason', async () => {
    expect((await list('&zone=-')).filter(({ did }) => did === 'tried')).toEqual([
      expect.objectContaining({ who: 'anyone', refused: { route: 'GET /api/v1/nodes', type: 'bearer-invalid' } }),
    ]);
  });

  it('has nothing that machines and the sweep did of their own', async () => {
    expect((await list()).filter(({ who }) => who !== 'operator' && who !== 'anyone')).toEqual([]);
  });

  it('is whole', async () => {
    let entries = 0;
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { body } = await world.call('GET', `/api/v1/audit/verify${next && `?cursor=${next}`}`);
      const part = body as { ok: boolean; entries: number; faults: object[]; next?: string };
      expect(part.faults).toEqual([]);
      entries += part.entries;
      next = part.next;
    }
    expect(entries).toBe((await list()).length);
  });

  it.each(['from=yesterday', 'zone=Default', 'who=', 'limit=201', 'cursor=AAAA'])('refuses the query %s', async (query) => {
    expect((await world.call('GET', `/api/v1/audit?${query}`)).status).toBe(query.startsWith('cursor') ? 400 : 422);
  });
});
