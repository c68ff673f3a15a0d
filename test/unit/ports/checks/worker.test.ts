import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../../../lib/core/check.ts';
import { inPlaceChecks } from '../../../../lib/ports/checks/in-place.ts';
import { workerChecks } from '../../../../lib/ports/checks/worker.ts';
import { endlessSchema } from '../../../support/a-hostile-schema.ts';

const late = { is: 'late', because: expect.stringContaining('longer than 100 ms') };
/** A machine that is busy with other tests has this much time for a hundredth of that. */
const patient = { limitMs: 100, waitMs: 60_000 };
const some: readonly Check[] = [
  { schema: '{"type":"string","pattern":"^a+$"}', data: '"aa"' },
  { schema: '{"type":"string","pattern":"^a+$"}', data: '"ab"' },
  { schema: '{"pattern":"(?=a)"}' },
  { schema: '{"pattern":"(?=a)"}', data: '"a"' },
  { schema: '{"$ref":"#"}', data: '1' },
];

describe('checks on a thread of their own', () => {
  it('find what checks in place find', async () => {
    const [thread, place] = [workerChecks(), inPlaceChecks()];
    for (const asked of some) expect((await thread.check(asked)).verdict).toEqual((await place.check(asked)).verdict);
  });

  it('let everything else go on while one takes for ever, stop that one, and go on with the next', async () => {
    const checks = workerChecks(patient);
    const order: string[] = [];
    const hostile = checks.check({ schema: JSON.stringify(endlessSchema), data: '1' }).then(({ verdict, tookMs }) => {
      order.push('hostile');
      return { verdict, tookMs };
    });
    const next = checks.check(some[0]!).then(({ verdict }) => {
      order.push('next');
      return verdict;
    });
    for (let n = 0; n < 1_000; n++) await turn();
    order.push('a thousand turns of everything else');
    expect(await hostile).toEqual({ verdict: late, tookMs: 100 });
    expect(await next).toEqual({ is: 'done', faults: [] });
    expect(order).toEqual(['a thousand turns of everything else', 'hostile', 'next']);
  });

  it('stop one that compares each of very many items with each other', async () => {
    const items = `[${Array.from({ length: 4_000 }, (_, n) => `{"a":${n}}`).join()}]`;
    const rules = JSON.stringify({ allOf: Array.from({ length: 2_000 }, () => ({ uniqueItems: true })) });
    expect((await workerChecks(patient).check({ schema: rules, data: items })).verdict).toEqual(late);
  });

  it('fail with what the thread says where it does not start, and begin anew', async () => {
    const checks = workerChecks({ program: new URL('file:///nowhere/thread.ts') });
    for (let n = 0; n < 2; n++) await expect(checks.check(some[0]!)).rejects.toThrow(/nowhere/);
  });
});
