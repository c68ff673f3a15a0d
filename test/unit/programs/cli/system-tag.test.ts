import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { fingerprintOf } from './views.ts';

const result = (n: number, done = true) => ({
  fp: fingerprintOf(n),
  done,
  because: done ? 'tags: web, prod; groups: none' : 'not accepted yet',
});
let fake: FakeDeployment;
beforeAll(async () => {
  fake = await FakeDeployment.start({
    editSystems: ({ body }) => {
      const { systems, cursor } = body as { systems?: string[]; cursor?: string };
      if (systems) return { results: systems.map((fp, n) => ({ ...result(n, n < 2), fp })) };
      return cursor ? { results: [result(2)] } : { results: [result(1)], next: 'on' };
    },
  });
});
beforeEach(() => {
  fake.received.length = 0;
});
afterAll(() => fake.stop());
const shown = (line: string) => ran(line, { env: { MUSTER_ENDPOINT: fake.url } });
const sent = () => fake.received.map(({ received }) => received.body);
const none = { add: [], remove: [] };

describe('system tag', () => {
  it.each([
    [`system tag ${fingerprintOf(1)} ${fingerprintOf(2)} --add web,prod`, 'system-tag'],
    ['system tag --help', 'help-system-tag'],
  ])('%s › looks as recorded', async (line, name) => {
    const { out, code } = await shown(line);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`golden/${name}.out`);
  });

  it('follows the pages of those that are chosen', async () => {
    const { err, code } = await shown('system tag --zone emea --tag web --add-group dmz --remove test --dry-run');
    expect({ err, code }).toEqual({ err: '2 to be done\n', code: 0 });
    const what = {
      where: { zone: 'emea', tag: 'web' },
      tags: { add: [], remove: ['test'] },
      groups: { add: ['dmz'], remove: [] },
      dryRun: true,
    };
    expect(sent()).toEqual([what, { ...what, cursor: 'on' }]);
  });

  it('says in the exit code that one was left undone', async () => {
    const three = [1, 2, 3].map(fingerprintOf).join(' ');
    const { err, code } = await shown(`system tag ${three} --add web`);
    expect({ err, code }).toMatchObject({ err: expect.stringContaining('1 of 3 not done'), code: 1 });
    expect(sent()).toEqual([{ systems: [1, 2, 3].map(fingerprintOf), tags: { add: ['web'], remove: [] }, groups: none, dryRun: false }]);
  });

  it('wants to know which, and what', async () => {
    for (const wrong of [
      '--add web',
      `${fingerprintOf(1)}`,
      `${fingerprintOf(1)} --zone emea --add web`,
      '--zone emea',
      '--zone emea --add ,',
    ])
      expect([wrong, (await shown(`system tag ${wrong}`)).code]).toEqual([wrong, 2]);
    expect(sent()).toEqual([]);
  });
});
