import { beforeEach, describe, expect, it } from 'vitest';
import { Later } from '../../../lib/core/errors.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { Change } from '../../../lib/ports/table/table.ts';
import { aShell, committing } from '../../../tools/support/a-shell.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aDeployment, type Deployment } from '../../support/deployment.ts';

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

describe('the labels of a node', () => {
  const setLabels = (labels: object) => world.call('PATCH', `/api/v1/nodes/${node.id}`, { labels });
  const some = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`label${n}`, 'x']));

  it('are at most 8, with names of 32 characters and values of 64', async () => {
    expect(await setLabels({ ...some(7), ['k'.repeat(32)]: 'v'.repeat(64) })).toMatchObject({ status: 200 });
    for (const labels of [some(9), { ['k'.repeat(33)]: 'x' }, { rack: 'v'.repeat(65) }])
      expect(await setLabels(labels)).toMatchObject({ status: 422, body: { errors: [{ pointer: expect.stringMatching('^/labels') }] } });
  });
});

describe('accepting many', () => {
  it('says which key was busy, and does the others', async () => {
    const shell = aShell();
    const knock = async (deployment: Deployment, fqdn: string): Promise<string> => {
      const pair = keyPairOf(fqdn);
      const { publicKey } = pair;
      await deployment.call('POST', '/system/knock', { publicKey, fqdn, machineId: fqdn }, pair);
      return fingerprintOf(publicKey);
    };
    const [one, other] = [await knock(aDeployment(shell), 'db1.acme.org'), await knock(aDeployment(shell), 'db2.acme.org')];
    const isOf = (fp: string, changes: readonly Change[]) => changes.some((change) => 'put' in change && change.put.key.pk.endsWith(fp));
    const throttled = committing(shell, async (stored, changes) => {
      if (isOf(one, changes)) throw new Later('service.busy', 'commit: ThrottlingError');
      await stored(changes);
    });

    const { status, body } = await aDeployment(throttled).call('POST', '/api/v1/systems/accept', { systems: [one, other] });

    expect([status, JSON.parse(body!)]).toEqual([
      200,
      {
        results: [
          { fp: one, done: false, busy: true, because: 'busy, try again' },
          { fp: other, done: true, because: 'accepted into zone default' },
        ],
      },
    ]);
  });
});
