import { describe, expect, it } from 'vitest';
import type { MeroProcess, ProcessState } from '../../../../lib/mero/processes/process.ts';
import { limitsOf } from '../../../../lib/mero/processes/rows/limits.ts';
import { forget, updateProcess, updateService } from '../../../../lib/mero/processes/update.ts';
import { at } from '../../../../tools/support/builders.ts';
import { aProcess, processFid, processTypes, serviceFid } from '../../../support/mero.ts';

const around = { goal: 'run' as const, limits: limitsOf({ vars: {} }) };
const is = (state: Exclude<ProcessState['is'], 'failed'>, given: Partial<MeroProcess> = {}) => aProcess({ state: { is: state }, ...given });
const fid = processFid(1);

describe('what somebody may say of a process', () => {
  it.each([
    [is('starting'), 'online', 'online'],
    [is('online'), 'quiescing', 'quiescing'],
    [is('quiescing'), 'stopping', 'stopping'],
    [is('online'), 'stopping', 'stopping'],
    [is('stopping'), 'offline', 'offline'],
    [is('unknown'), 'offline', 'offline'],
    [is('online', { type: processTypes.app }), 'offline', 'offline'],
    [is('offline'), 'starting', 'starting'],
    [is('online'), 'unknown', 'unknown'],
  ] as const)('%# %o › %s', (process, said, becomes) => {
    expect(updateProcess(process, said, around, at(5))).toMatchObject({ does: 'write', next: { state: { is: becomes }, since: at(5) } });
  });

  it('is that it failed, and why; the rule does not start it again', () => {
    const running = is('online', { running: { pid: 7 } });
    expect(updateProcess(running, 'failed: the disk: full', around, at(5))).toMatchObject({
      next: { state: { is: 'failed', reason: 'the disk: full' } },
      events: [{ type: 'process.failed', data: { retry: false } }],
    });
    const plain = updateProcess(running, 'failed', around, at(5));
    expect(plain).toMatchObject({ next: { state: { reason: 'set by an operator' } } });
    expect(plain).not.toHaveProperty('next.retryAt');
    expect(plain).not.toHaveProperty('next.running');
  });

  it.each([
    [is('offline'), 'online', `${fid} is offline: it cannot become online`],
    [is('online'), 'offline', `${fid} is online: it cannot become offline`],
    [is('offline'), 'failed', `${fid} is offline: it cannot become failed`],
    [is('online'), 'inhibited', `${fid}: the state of a process is one of unknown, starting, online, quiescing, stopping, offline, failed`],
    [
      is('online'),
      'constructor',
      `${fid}: the state of a process is one of unknown, starting, online, quiescing, stopping, offline, failed`,
    ],
    [is('online', { type: processTypes.halon }), 'failed', `${fid} is Halon's own process: its state follows from its node`],
  ])('%# is refused where it is no move › %s', (process, said, because) => {
    expect(updateProcess(process, said, around, at(5))).toEqual({ does: 'refuse', because });
  });

  it('changes nothing where it is so already', () => {
    expect(updateProcess(is('online'), 'online', around, at(5))).toEqual({ does: 'nothing', because: `${fid} is online already` });
  });
});

describe('what somebody may say of a service', () => {
  const two = is('online', {
    services: [
      { fid: serviceFid(1), type: 'CST_IOS' },
      { fid: serviceFid(2), type: 'CST_RMS', failed: true },
    ],
  });

  it('is that it has failed by itself, or goes on; others stay as they are', () => {
    expect(updateService(two, serviceFid(1), 'failed')).toMatchObject({ next: { services: [{ failed: true }, { failed: true }] } });
    expect(updateService(two, serviceFid(2), 'online')).toMatchObject({
      next: { services: two.services.map(({ failed: _not, ...one }) => one) },
    });
    expect(updateService(two, serviceFid(2), 'failed')).toEqual({ does: 'nothing', because: `${serviceFid(2)} is failed already` });
  });

  it('is nothing that its process decides', () => {
    expect(updateService(two, serviceFid(1), 'stopping')).toMatchObject({ does: 'refuse' });
    expect(updateService(is('offline'), serviceFid(1), 'online')).toEqual({
      does: 'refuse',
      because: `${serviceFid(1)} belongs to a process that is offline: it cannot become online`,
    });
  });
});

describe('a reset', () => {
  it('forgets what a process does, and nothing else', () => {
    const running = is('online', { running: { pid: 7 }, attempts: 2, start: 4, stopped: true });
    const { running: _pid, attempts: _tried, ...rest } = running;
    expect(forget(running, around, at(5))).toMatchObject({
      does: 'write',
      next: { ...rest, state: { is: 'unknown' }, since: at(5) },
      events: [],
    });
  });

  it('leaves alone what is unknown already, what Halon runs, and what there is not', () => {
    for (const process of [is('unknown'), is('online', { type: processTypes.halon }), undefined])
      expect(forget(process, around, at(5)).does).toBe('nothing');
  });
});
