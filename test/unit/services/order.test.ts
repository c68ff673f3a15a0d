import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceReport } from '../../../events/reported/service.ts';
import { decide } from '../../../lib/services/decide.ts';
import { orderStart } from '../../../lib/services/orders.ts';
import { instanceOf, type Service } from '../../../lib/services/service.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aType, judged, schemas } from './some.ts';

/** One process of the instance: whether its beginning names its pid, whether it was ready, and how it ended. */
type Life = { readonly namesPid: boolean; readonly isReady: boolean; readonly exit: number | undefined };
type Said = { readonly type: ServiceReport['type']; readonly data: object };

const life: fc.Arbitrary<Life> = fc.record({ namesPid: fc.boolean(), isReady: fc.boolean(), exit: fc.constantFrom(undefined, 1, 2) });
/** Up to three lives that have ended, and one that runs or has ended too. */
const lives = fc.record({ over: fc.array(life, { maxLength: 3 }), last: life, runs: fc.boolean() });

const begun: Service = (() => {
  const asked = { service: undefined, formerly: undefined, type: aType('web'), schema: schemas[0]!, node: aNode({ services: true }) };
  const made = judged((verdict) => orderStart({ ...asked, holder: undefined, configuration: '{"port":80}', verdict }, at(0)));
  if (made.does !== 'write') throw new Error(made.because);
  return made.next;
})();

/** What the agent reports of a process, in its order. */
function saidOf({ namesPid, isReady, exit }: Life, pid: number, hasEnded: boolean): Said[] {
  const named = { pid, born: `b${pid}` };
  const failed = { type: 'service.failed', data: { ...named, exit: exit ?? 3, reason: 'it ended while it was starting' } } as const;
  const stopped = { type: 'service.stopped', data: { ...named, ...(exit !== undefined && { exit }) } } as const;
  return [
    { type: 'service.starting', data: namesPid ? named : {} },
    ...(isReady ? [{ type: 'service.started' as const, data: named }] : []),
    ...(hasEnded ? [isReady ? stopped : failed] : []),
  ];
}

const reportsOf = (said: readonly Said[]): ServiceReport[] =>
  said.map(({ type, data }, i) => {
    const head = { id: `r-${i}`, version: 1, node: begun.node, receivedAt: at(1), intervalMs: 10_000, incarnation: 1, seq: i + 1 };
    return { ...head, type, data: { service: 'web', instance: instanceOf(begun), ...data } } as ServiceReport;
  });

const serviceOf = (reports: readonly ServiceReport[]): Service =>
  reports.reduce((service, report) => {
    const made = decide(service, report, {}, at(1));
    return made.does === 'write' ? made.next : service;
  }, begun);

describe('the reports of an agent about the processes of one instance', () => {
  it('never leave it online by a process that has ended, in whatever order they come, and however often', () => {
    const cases = lives.chain(({ over, last, runs }) => {
      const reports = reportsOf([...over, last].flatMap((one, i) => saidOf(one, 100 + i, i < over.length || !runs)));
      const twice = [...reports, ...reports];
      return fc.record({
        inOrder: fc.constant(reports),
        come: fc.shuffledSubarray(twice, { minLength: twice.length }),
        runs: fc.constant(runs ? 100 + over.length : undefined),
      });
    });
    fc.assert(
      fc.property(cases, ({ inOrder, come, runs }) => {
        const order = come.map(({ type, seq }) => `${seq} ${type}`).join(', ');
        for (const { state, running } of [serviceOf(inOrder), serviceOf(come)]) {
          if (state.is === 'online') expect(running?.pid, order).toBe(runs);
        }
        if (runs === undefined) expect(serviceOf(inOrder).state.is).toBe('failed');
        else expect(['starting', 'online']).toContain(serviceOf(inOrder).state.is);
      }),
      { numRuns: 1_000 },
    );
  });
});
