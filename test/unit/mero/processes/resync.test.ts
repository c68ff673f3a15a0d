import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../lib/core/decision.ts';
import { decide } from '../../../../lib/mero/processes/decide.ts';
import type { Surroundings } from '../../../../lib/mero/processes/move.ts';
import type { MeroProcess, ProcessState } from '../../../../lib/mero/processes/process.ts';
import { resync, type TableOrigin } from '../../../../lib/mero/processes/resync.ts';
import { limitsOf } from '../../../../lib/mero/processes/rows/limits.ts';
import { at, nodeId, noon } from '../../../../tools/support/builders.ts';
import { aProcess, processFid, processTypes } from '../../../support/mero.ts';

const limits = limitsOf({ vars: {} });
const toRun: Surroundings = { goal: 'run', limits };
const life = { pid: 4711, born: 'b.1' };
const heard = { node: nodeId(1), incarnation: 1, seq: 9 };
const asked: TableOrigin = { node: nodeId(1), incarnation: 1, seq: 20, back: 'no' };
const restarted: TableOrigin = { node: nodeId(1), incarnation: 2, seq: 0, back: 'same kernel' };
const rebooted: TableOrigin = { ...restarted, back: 'anew' };
const entry = (state: 'starting' | 'online' | 'stopping', more = {}) => ({ process: processFid(1), ...life, state, ...more });
const was = (state: ProcessState, more: Partial<MeroProcess> = {}) => aProcess({ state, heard, ...more });
const online = was({ is: 'online' }, { running: life });

const outcome = (decision: Decision<MeroProcess>) =>
  decision.does === 'write'
    ? { state: decision.next.state, start: decision.next.start, events: decision.events.map(({ type }) => type) }
    : decision.does;
const failure: ProcessState = { is: 'failed', reason: 'node failure' };

describe('a node that is back', () => {
  it('keeps what runs on as it is on record, under the same kernel', () => {
    expect(resync(online, entry('online'), restarted, toRun, at(1)).does).toBe('nothing');
    expect(resync(online, { process: processFid(1), pid: 4711, state: 'online' }, restarted, toRun, at(1)).does).toBe('nothing');
  });

  it('has lost what does not run any more, and it is started again at once where it is to run (reference: 36)', () => {
    const again = resync(online, undefined, restarted, toRun, at(1));
    expect(outcome(again)).toEqual({ state: failure, start: 1, events: ['process.failed'] });
    expect(again).toMatchObject({ events: [{ data: { retry: true, attempts: 0 } }], wakeAt: at(181) });
    expect(outcome(resync(online, undefined, restarted, { ...toRun, goal: 'stop' }, at(1)))).toEqual({
      state: failure,
      // Its agent begins it anew once it is to run.
      start: 1,
      events: ['process.failed'],
    });
    for (const is of ['starting', 'quiescing', 'stopping'] as const)
      expect(outcome(resync(was({ is }), undefined, restarted, toRun, at(1)))).toMatchObject({ state: failure });
  });

  it('leaves alone what had failed, and starts it again only after a reboot (reference: 19, 20)', () => {
    expect(outcome(resync(was({ is: 'failed', reason: 'exited' }), undefined, restarted, toRun, at(1)))).toBe('nothing');
    for (const state of [{ is: 'offline' }, { is: 'failed', reason: 'exited' }] as const) {
      expect(outcome(resync(was(state), undefined, restarted, { ...toRun, goal: 'stop' }, at(1)))).toBe('nothing');
      expect(outcome(resync(was(state), undefined, rebooted, toRun, at(1)))).toEqual({ state, start: 1, events: [] });
      expect(outcome(resync(was(state), undefined, rebooted, { ...toRun, goal: 'stop' }, at(1)))).toBe('nothing');
    }
  });

  it('orders anew what is offline and is to run: the agent before may have tried it, and its reports are lost', () => {
    for (const process of [was({ is: 'offline' }), aProcess()])
      expect(outcome(resync(process, undefined, restarted, toRun, at(1)))).toEqual({ state: { is: 'offline' }, start: 1, events: [] });
  });

  it('starts again what was lost with it, however its table came, and only once', () => {
    const lost = decide(online, { type: 'node-lost', node: nodeId(1) }, toRun, at(1));
    if (lost.does !== 'write') throw new Error('it is lost');
    for (const origin of [asked, restarted, rebooted]) {
      const again = resync(lost.next, undefined, origin, toRun, at(2));
      expect(again).toMatchObject({ does: 'write', next: { start: 1, attempts: 0, retryAt: at(182) }, wakeAt: at(182) });
      const later = { ...asked, seq: asked.seq + 1 };
      if (again.does === 'write') expect(outcome(resync(again.next, undefined, later, toRun, at(3)))).toBe('nothing');
      // Its agent begins it anew once it is to run.
      const kept = resync(lost.next, undefined, origin, { ...toRun, goal: 'stop' }, at(2));
      expect(kept).toMatchObject({ does: 'write', next: { start: 1, attempts: 0 } });
      expect(kept).not.toHaveProperty('next.retryAt');
    }
    const failed = was({ is: 'failed', reason: 'exited' });
    expect(outcome(resync(failed, undefined, asked, toRun, at(2)))).toBe('nothing');
  });

  it('that never spoke before orders nothing twice: its agent starts what is to run by itself', () => {
    expect(outcome(resync(aProcess(), undefined, { ...rebooted, incarnation: 1 }, toRun, at(1)))).toBe('nothing');
  });

  it('orders anew after a reboot what nobody has ever spoken of: its agent may have started it before, and was not heard', () => {
    expect(outcome(resync(aProcess(), undefined, rebooted, toRun, at(1)))).toEqual({ state: { is: 'offline' }, start: 1, events: [] });
    expect(outcome(resync(aProcess(), undefined, rebooted, { ...toRun, goal: 'stop' }, at(1)))).toBe('nothing');
  });

  it('finds offline what nobody knew anything about', () => {
    expect(outcome(resync(was({ is: 'unknown' }), undefined, rebooted, toRun, at(1)))).toEqual({
      state: { is: 'offline' },
      start: 0,
      events: [],
    });
  });

  it('shows another life under the same pid after a reboot', () => {
    const decision = resync(online, entry('online'), rebooted, toRun, at(1));
    expect(outcome(decision)).toEqual({ state: { is: 'online' }, start: 0, events: [] });
    expect(decision).toMatchObject({ next: { heard: { incarnation: 2, seq: 0 } } });
  });

  it('never starts what is its own master', () => {
    const app = was({ is: 'online' }, { running: life, type: processTypes.app });
    expect(outcome(resync(app, undefined, rebooted, { goal: 'watch', limits }, at(1)))).toMatchObject({ state: failure, start: 0 });
  });
});

describe('a table that was asked for', () => {
  it.each(['starting', 'online', 'stopping'] as const)('brings a process to what it shows, from any state › %s', (is) => {
    const states: ProcessState[] = [{ is: 'unknown' }, { is: 'offline' }, { is: 'failed', reason: 'x' }, { is: 'quiescing' }];
    for (const state of states) {
      const decision = resync(was(state), entry(is), asked, toRun, at(1));
      expect(decision).toMatchObject({ next: { state: { is }, running: life, since: at(1) } });
    }
  });

  it('tells the end of what it does not show', () => {
    expect(outcome(resync(online, undefined, asked, toRun, at(1)))).toMatchObject({ state: { is: 'failed', reason: 'exited' } });
    expect(outcome(resync(online, undefined, asked, { ...toRun, goal: 'stop' }, at(1)))).toMatchObject({ state: { is: 'offline' } });
    expect(outcome(resync(was({ is: 'stopping' }), undefined, asked, toRun, at(1)))).toMatchObject({ state: { is: 'offline' } });
    const app = was({ is: 'online' }, { type: processTypes.app });
    expect(outcome(resync(app, undefined, asked, { goal: 'watch', limits }, at(1)))).toMatchObject({ state: { is: 'offline' } });
  });

  it('says nothing of what is being started and has no pid yet, nor of what was heard of since', () => {
    expect(outcome(resync(was({ is: 'starting' }), undefined, asked, toRun, at(1)))).toBe('nothing');
    expect(outcome(resync({ ...online, heard: { ...heard, seq: 21 } }, undefined, asked, toRun, at(1)))).toBe('nothing');
    expect(outcome(resync({ ...online, heard: { ...heard, incarnation: 2 } }, undefined, asked, toRun, at(1)))).toBe('nothing');
  });

  it('changes nothing when it comes again', () => {
    const once = resync(was({ is: 'offline' }), entry('online'), asked, toRun, noon);
    expect(once.does === 'write' && resync(once.next, entry('online'), asked, toRun, at(9)).does).toBe('nothing');
  });
});
