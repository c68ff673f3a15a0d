import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { ZoneName } from '../../../../lib/core/ids.ts';
import { ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { aZone } from './views.ts';

let fake: FakeDeployment;
let isEmpty: boolean;
beforeAll(async () => {
  fake = await FakeDeployment.start({
    createZone: ({ body }) => aZone({ ...(body as { name: ZoneName }), name: ZoneName.parse((body as { name: string }).name), number: 7 }),
    deleteZone: ({ params }) => {
      if (!isEmpty) throw new Refusal('refused', 'zone lab is not empty: node node1.acme.org is in it');
      return { done: true, because: `zone ${(params as { zone: string }).zone} deleted` };
    },
  });
});
beforeEach(() => {
  isEmpty = true;
});
afterAll(() => fake.stop());

const shown = (line: string, more = {}) => ran(line, { env: { MUSTER_ENDPOINT: fake.url }, ...more });
const sent = () => fake.received.map(({ received }) => received.body);

describe('zones that are made and deleted on the command line', () => {
  it.each([
    ['zone create emea', 'zone-create'],
    ['zone create lab --kind storage --remap-after 10m', 'zone-create-storage'],
    ['zone delete lab --yes', 'zone-delete'],
    ['zone create --help', 'help-zone-create'],
    ['zone delete --help', 'help-zone-delete'],
  ])('%s › looks as recorded', async (line, name) => {
    const { out, err, code } = await shown(line);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    await expect(out).toMatchFileSnapshot(`golden/${name}.out`);
  });

  it('are asked for as they were meant, and nothing is asked for that was not', async () => {
    fake.received.length = 0;
    await shown('zone create emea');
    await shown('zone create lab --kind storage --remap-after 10m');
    expect(sent()).toEqual([{ name: 'emea' }, { name: 'lab', kind: 'storage', remapAfterMs: 600_000 }]);
  });

  it('are deleted only by whoever says so', async () => {
    fake.received.length = 0;
    const asked: string[] = [];
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
    });
    expect((await shown('zone delete lab', answering('n'))).code).not.toBe(0);
    expect(fake.received).toEqual([]);
    expect(await shown('zone delete lab', answering('y'))).toMatchObject({ code: 0, out: 'zone lab deleted\n' });
    expect(asked).toEqual([expect.stringContaining('Delete zone lab?'), expect.stringContaining('Delete zone lab?')]);
    // Without somebody to ask, nothing is deleted.
    expect((await shown('zone delete lab')).code).toBe(2);
    expect(fake.received).toHaveLength(1);
  });

  it('that are not empty stay, and what is in them is named', async () => {
    isEmpty = false;
    const { out, err, code } = await shown('zone delete lab --yes');
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toContain('zone lab is not empty: node node1.acme.org is in it');
  });

  it('are refused at once when their name or their span is none', async () => {
    fake.received.length = 0;
    for (const wrong of [
      'zone create EMEA',
      'zone create emea --remap-after 25h',
      'zone create emea --kind other',
      'zone delete 9',
      'zone delete',
    ])
      expect([wrong, (await shown(wrong)).code]).toEqual([wrong, 2]);
    expect(fake.received).toEqual([]);
  });
});
