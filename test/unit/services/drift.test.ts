import { describe, expect, it } from 'vitest';
import type { ServiceReport } from '../../../events/reported/service.ts';
import { decide, type ServiceInput } from '../../../lib/services/decide.ts';
import { orderStart } from '../../../lib/services/orders.ts';
import { instanceOf, type Service } from '../../../lib/services/service.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aType, judged, schemas } from './some.ts';

const node = aNode({ services: true });

function begun(): Service {
  const asked = { service: undefined, formerly: undefined, type: aType('web'), schema: schemas[0]!, node, holder: undefined };
  const made = judged((verdict) => orderStart({ ...asked, configuration: '{"port":80}', verdict }, at(0)));
  if (made.does !== 'write') throw new Error('the service cannot be started');
  return made.next;
}

/** The service once it has heard this. */
const heard = (before: Service, input: ServiceInput): Service => {
  const made = decide(before, input, {}, at(100));
  if (made.does === 'remove') throw new Error(made.because);
  return made.does === 'write' ? made.next : before;
};

/** A word about it: of its agent where it has a number, and by the bus where it has none. */
const word = (before: Service, does: string, data: object, seq?: number): ServiceReport =>
  ({
    id: `r-${seq}`,
    type: `service.${does}`,
    version: 1,
    node: before.node,
    receivedAt: at(seq ?? 50),
    intervalMs: 10_000,
    ...(seq !== undefined && { incarnation: 1, seq }),
    data: { service: before.type, instance: instanceOf(before), ...data },
  }) as ServiceReport;

/** One that runs as pid 7, and has said that it runs with another port. */
function drifted(): Service {
  const started = heard(begun(), word(begun(), 'started', { pid: 7 }, 1));
  return heard(started, word(started, 'configured', { pid: 7, configuration: { port: 81 } }, 2));
}

describe('what a service has drifted to', () => {
  it('is of the life that said so: where a table shows another one, that runs as it was ordered', () => {
    const table = (pid: number): ServiceInput => ({
      type: 'table',
      node: node.id,
      incarnation: 1,
      seq: 9,
      back: 'no',
      at: at(60),
      entry: { service: drifted().type, instance: instanceOf(drifted()), pid, state: 'online' },
    });
    expect(drifted().drift).toMatchObject({ configuration: '{"port":81}' });
    expect(heard(drifted(), table(7)).drift).toMatchObject({ configuration: '{"port":81}' });
    expect(heard(drifted(), table(8))).toMatchObject({ running: { pid: 8 } });
    expect(heard(drifted(), table(8)).drift).toBeUndefined();
  });

  it('does not end with a process of the same pid that began at another moment, such as one of a copied machine', () => {
    const { drift, ...before } = drifted();
    const service = heard(before, word(before, 'started', { pid: 9, born: '1here' }, 4));
    const other = heard(service, word(service, 'failed', { pid: 9, born: '1there', reason: 'it ended', exit: 1 }, 3));
    expect(other).toMatchObject({ state: { is: 'online' }, running: { pid: 9, born: '1here' } });
    expect(heard(service, word(service, 'failed', { pid: 9, reason: 'it ended', exit: 1 }, 3))).toMatchObject({ state: { is: 'failed' } });
  });

  it('ends with its process, whoever says so, and also where it had failed before', () => {
    const service = drifted();
    const failed = heard(service, word(service, 'failed', { pid: 7, reason: 'it does not answer' }, 3));
    const again = heard(failed, word(failed, 'configured', { pid: 8, configuration: { port: 82 } }, 4));
    expect(again).toMatchObject({ state: { is: 'failed' }, drift: { configuration: '{"port":82}' } });
    expect(heard(again, word(again, 'stopped', {})).drift).toBeUndefined();
    expect(heard(service, word(service, 'stopped', { pid: 7, exit: 1 }, 3)).drift).toBeUndefined();
  });
});
