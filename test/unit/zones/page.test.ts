import { describe, expect, it } from 'vitest';
import { minuteMs } from '../../../lib/core/time.ts';
import { PageTemplate, pageOf } from '../../../lib/zones/rows/page.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

const overview = 'https://{name}/rhn/systems/details/Overview.do?sid={sid}';
const node = { name: 'node1.acme.org', id: 'n0123456789abcdef' };

describe('the template of the page of a node', () => {
  it.each([
    overview,
    'https://{name}/',
    'https://{name}:8443/nodes/{id}',
    'https://console.acme.org/systems/{fp}?name={system}&minion={minion}',
    'http://127.0.0.1:8080/{id}',
    'http://localhost/{id}',
    'http://[::1]:8080/',
  ])('%s is one', (template) => {
    expect(PageTemplate.safeParse(template).success).toBe(true);
  });

  it.each([
    ['http://{name}/', 'https'],
    ['http://127.0.0.1.evil.org/', 'https'],
    ['javascript:alert(1)', 'https'],
    ['//{name}/', 'no address'],
    ['https://{name}/ {id}', 'no address'],
    ['https://{name}/{', 'no address'],
    ['https://root:secret@{name}/', 'no user'],
    ['https://{system}/', 'host'],
    ['https://{name}.{minion}/', 'host'],
    ['https://{name}/{password}', 'there is no {password}'],
    [`https://{name}/${'x'.repeat(200)}`, '200'],
  ])('%s is none: %s', (template, why) => {
    const { error } = PageTemplate.safeParse(template);
    expect(error?.issues.map(({ message }) => message).join()).toContain(why);
  });

  it('is filled with encoded values, and of a node alone it is the root of its host', () => {
    const of = { ...node, system: 'web1.acme.org', fp: 'ab', sid: '100001&x=/../' };
    expect(pageOf(overview, of)).toBe('https://node1.acme.org/rhn/systems/details/Overview.do?sid=100001%26x%3D%2F..%2F');
    expect(pageOf(overview, { ...of, sid: undefined })).toBeUndefined();
    expect(pageOf(overview, node)).toBe('https://node1.acme.org/');
    expect(pageOf('https://{name}:8443/nodes/{id}', node)).toBe('https://node1.acme.org:8443/nodes/n0123456789abcdef');
  });
});

describe('the page of a node', () => {
  const view = async (world: World, path: string) =>
    (await world.call('GET', `/api/v1/${path}`)).body as { page?: string; pageTemplate?: string };
  const set = (world: World, path: string, page: string | null) => world.call('PATCH', `/api/v1/${path}`, { page });

  it('is by the template of the zone, unless the node has its own, in the views of both and of client systems', async () => {
    const world = await stepped();
    const node1 = await new Agent(world, 'node1.acme.org').start();
    const web1 = new Daemon(world, 'web1.acme.org');
    await web1.knock({ facts: { sid: '1000' } });
    await world.call('POST', '/api/v1/systems/accept', { systems: [web1.fp] });
    await web1.knock({ facts: { sid: '1000' } });
    await web1.orphan();
    expect(await view(world, `systems/${web1.fp}`)).not.toHaveProperty('page');

    expect((await set(world, 'zones/default', overview)).body).toMatchObject({ page: overview });
    await world.step(minuteMs);
    expect((await view(world, `nodes/${node1.id}`)).page).toBe('https://node1.acme.org/');
    expect((await view(world, `systems/${web1.fp}`)).page).toBe('https://node1.acme.org/rhn/systems/details/Overview.do?sid=1000');

    const own = 'https://uyuni.acme.org/{system}';
    expect((await set(world, `nodes/${node1.id}`, own)).body).toMatchObject({ page: 'https://uyuni.acme.org/', pageTemplate: own });
    await world.step(minuteMs);
    expect((await view(world, `systems/${web1.fp}`)).page).toBe('https://uyuni.acme.org/web1.acme.org');

    await set(world, `nodes/${node1.id}`, null);
    await set(world, 'zones/default', null);
    await world.step(minuteMs);
    for (const path of [`nodes/${node1.id}`, `systems/${web1.fp}`, 'zones/default'])
      expect(await view(world, path)).not.toHaveProperty('page');
  });

  it('is refused where it is no template, and then nothing changes', async () => {
    const world = await stepped();
    const node1 = await new Agent(world, 'node1.acme.org').start();
    for (const path of [`nodes/${node1.id}`, 'zones/default']) {
      const { status, body } = await set(world, path, 'http://{name}/');
      expect(status).toBe(422);
      expect(body).toMatchObject({ errors: [{ pointer: '/page' }] });
      expect(await view(world, path)).not.toHaveProperty('page');
    }
  });
});
