import { beforeEach, describe, expect, it } from 'vitest';
import { Agent, Daemon } from '../../support/players.ts';
import { stepped, type World } from '../../support/stepped.ts';

let world: World;
let node: Agent;
let web: Daemon;
beforeEach(async () => {
  world = await stepped();
  node = await new Agent(world, 'node1.acme.org').start();
  web = await new Daemon(world, 'web1.acme.org').onboarded();
});
const etagAt = async (path: string): Promise<string> => (await world.call('GET', path)).headers['etag']!;
const edit = (path: string, body: object, etag: string) => world.call('PATCH', path, body, { 'if-match': etag });

/** Everything that may be edited, with two edits of it. */
const editable = (): readonly [path: string, one: object, other: object][] => [
  [`/api/v1/nodes/${node.id}`, { weight: 2 }, { labels: { rack: 'r7' } }],
  [`/api/v1/systems/${web.fp}`, { tags: ['web'] }, { groups: ['shop'] }],
  ['/api/v1/settings', { beatMinMs: 2_000 }, { beatMinMs: 3_000 }],
];

describe('an edit with If-Match', () => {
  it('is made once of two that were made on the same version, also at the same time', async () => {
    for (const [path, one, other] of editable()) {
      const etag = await etagAt(path);
      const answers = await Promise.all([edit(path, one, etag), edit(path, other, etag)]);
      expect(answers.map(({ status }) => status).sort(), path).toEqual([200, 412]);
      const refused = answers.find(({ status }) => status === 412)!;
      expect(refused).toMatchObject({ body: { type: 'urn:muster:problem:version-conflict' }, headers: { etag: await etagAt(path) } });
    }
  });

  it('goes on from the version that the edit before was answered with', async () => {
    for (const [path, one, other] of editable()) {
      const first = await edit(path, one, await etagAt(path));
      expect(first.headers['etag'], path).toBe(await etagAt(path));
      expect((await edit(path, other, first.headers['etag']!)).status, path).toBe(200);
    }
  });

  it('is not refused because the thing was heard meanwhile', async () => {
    const [nodePath, systemPath] = [`/api/v1/nodes/${node.id}`, `/api/v1/systems/${web.fp}`];
    const [nodeTag, systemTag] = [await etagAt(nodePath), await etagAt(systemPath)];
    await world.step(60_000);
    // A sign of life is written once an hour.
    world.sleep(61 * 60_000);
    await web.knock();

    expect((await edit(nodePath, { weight: 2 }, nodeTag)).status).toBe(200);
    expect((await edit(systemPath, { tags: ['web'] }, systemTag)).status).toBe(200);
  });
});
