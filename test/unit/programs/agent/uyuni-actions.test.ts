import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { What } from '../../../../lib/clients/actions/rows/what.ts';
import { type ActionNumber, firstActionNumber } from '../../../../lib/core/ids.ts';
import { dayMs, type EpochMs, hourMs, minuteMs, secondMs } from '../../../../lib/core/time.ts';
import { AllowedActions, usualActions } from '../../../../programs/agent/uyuni/actions/allowed.ts';
import { RefusedByMuster } from '../../../../programs/agent/uyuni/actions/muster-side.ts';
import { rebootsMax } from '../../../../programs/agent/uyuni/actions/order.ts';
import { ActionSite, fpOf, type Trouble } from '../../../support/an-action-site.ts';

/* The agent of a Uyuni server asks it once for each client system, whatever ends in between. */

const number: ActionNumber = firstActionNumber;
const highstate: What = { do: 'highstate', test: false };
let home: string;
let site: ActionSite;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-agent-'));
  site = new ActionSite(home);
  site.has('a', 'b', 'c');
});
afterEach(() => rmSync(home, { recursive: true }));

const report = () => site.muster.reports.get(number);

describe('an action on client systems', () => {
  it('is scheduled by one call for all of them, and reported until each has ended', async () => {
    site.ordered(number, highstate, 'a', 'b');
    await site.pass();
    expect(site.server.actions).toMatchObject([{ method: 'system.scheduleApplyHighstate', sids: [1, 2] }]);
    expect(report()).toMatchObject({ seq: 1, state: 'scheduled', id: 101, done: 0 });
    site.server.end(1);
    await site.pass(10 * secondMs);
    expect(report()).toMatchObject({ seq: 2, state: 'scheduled', done: 1 });
    site.server.end(2, 'no space left on device');
    await site.pass(10 * secondMs);
    expect(report()).toMatchObject({
      ...{ seq: 3, state: 'ended', done: 1, failed: 1 },
      examples: [{ fp: fpOf('b'), is: 'failed', why: 'no space left on device' }],
    });
    await site.pass(minuteMs);
    expect(site.muster.seqs).toEqual([1, 2, 3]);
  });

  it('leaves those that are not here any more, and those that the server does not have', async () => {
    site.server.minions.delete('b');
    site.ordered(number, highstate, 'a', 'b', 'moved');
    await site.pass();
    expect(site.server.actions).toMatchObject([{ sids: [1] }]);
    expect(report()?.examples.map(({ why }) => why)).toEqual([
      'the server has not registered it',
      'it is not here any more: it may have moved to another node since',
    ]);
    site.server.end(1);
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'ended', done: 1, left: 2 });
  });

  it('says why the server refuses it', async () => {
    site.server.trouble = 'refuses';
    site.ordered(number, highstate, 'a', 'b');
    await site.pass();
    expect(report()).toMatchObject({ state: 'ended', left: 2, examples: [{ why: 'the server refuses it (No such system)' }, {}] });
    await site.pass(minuteMs);
    expect(site.server.calls).toBe(1);
  });

  it('is an action for each where the server takes one at a time, and has no number then', async () => {
    site.ordered(number, { do: 'reboot' }, 'a', 'b', 'c');
    await site.pass();
    expect(site.server.actions.map(({ sids }) => sids)).toEqual([[1], [2], [3]]);
    expect(report()).not.toHaveProperty('id');
    site.server.end(2, 'it is locked');
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'scheduled', failed: 1 });
    site.server.end(1);
    site.server.end(3);
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'ended', done: 2, failed: 1 });
  });

  it('is not carried out where this host does not allow it', async () => {
    site.allows = usualActions;
    site.restarted();
    site.ordered(number, { do: 'command', script: '#!/bin/sh', user: 'root', group: 'root', timeoutSeconds: 60 }, 'a', 'b');
    await site.pass();
    expect(site.server.calls).toBe(0);
    expect(report()).toMatchObject({
      ...{ state: 'ended', left: 2 },
      examples: [{ why: 'its agent does not allow command: see --allow-actions' }, {}],
    });
  });

  it('is cancelled where somebody has cancelled it on the server', async () => {
    site.ordered(number, highstate, 'a', 'b');
    await site.pass();
    site.server.end(1);
    site.server.actions.splice(0);
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'ended', cancelled: 2 });
  });

  it('is followed for a week', async () => {
    site.ordered(number, highstate, 'a', 'b');
    await site.pass();
    site.server.end(1);
    await site.pass(6 * dayMs);
    expect(report()).toMatchObject({ state: 'scheduled', done: 1 });
    await site.pass(2 * dayMs);
    expect(report()).toMatchObject({ state: 'ended', done: 1, why: expect.stringContaining('1 are still in progress') });
  });

  it('ends after a week also where the server is away or refuses to tell, with what was known and the reason', async () => {
    const next = (number + 1) as ActionNumber;
    site.ordered(number, highstate, 'a', 'b');
    site.ordered(next, { do: 'packages' }, 'a', 'gone');
    site.keeper.desired([{ number }, { number: next }]);
    await site.pass();
    site.server.end(1);
    await site.pass(6 * dayMs);
    expect(report()).toMatchObject({ state: 'scheduled', done: 1 });
    site.server.isDown = true;
    site.muster.isAway = true;
    await site.pass(2 * dayMs);
    expect(report()).toMatchObject({ state: 'scheduled' });
    site.muster.isAway = false;
    await site.pass(minuteMs);
    expect(report()).toMatchObject({
      ...{ state: 'ended', done: 1, unknown: 1 },
      why: 'not followed any more after 7 days: what has become of 1 is not known (it is away)',
    });
    expect(site.muster.reports.get(next)).toMatchObject({ state: 'ended', done: 1, left: 1, unknown: 0 });
    const seqs = site.muster.seqs.length;
    await site.pass(dayMs);
    expect(site.muster.seqs).toHaveLength(seqs);
  });

  it('ends after a week where the server refuses its lists, and is given up where Muster refuses its last report for a day', async () => {
    site.ordered(number, highstate, 'a');
    await site.pass();
    site.server.refuses.set('schedule.listCompletedSystems', 'unhandled internal exception');
    await site.pass(6 * dayMs);
    expect(report()).toMatchObject({ state: 'scheduled', unknown: 0 });
    site.muster.refusal = new RefusedByMuster('Muster refuses it (rate-limited): later', false);
    await site.pass(2 * dayMs);
    expect(report()).toMatchObject({ state: 'scheduled' });
    site.restarted();
    await site.pass(dayMs);
    expect(site.lines.at(-1)).toBe(`action ${number} is given up: Muster refuses it (rate-limited): later`);
  });

  it('is reported under a number of its own each time, also where Muster did not answer', async () => {
    site.ordered(number, highstate, 'a');
    site.muster.isAway = true;
    await site.pass();
    site.restarted();
    await site.pass(minuteMs);
    site.muster.isAway = false;
    await site.pass(minuteMs);
    expect(site.muster.seqs).toEqual([1, 2, 3]);
    expect(report()).toMatchObject({ seq: 3 });
    expect(site.server.calls).toBe(1);
  });

  it('waits for a server that is down, and for the knowledge of who is here', async () => {
    site.server.isDown = true;
    site.ordered(number, highstate, 'a');
    await site.pass();
    await site.pass(minuteMs);
    expect(site.muster.reports.size).toBe(0);
    site.server.isDown = false;
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'scheduled' });
  });

  it('is not scheduled by a server that comes back after the time of the order', async () => {
    site.ordered(number, { do: 'reboot' }, 'a', 'b', 'c');
    site.server.trouble = 'after';
    await site.pass();
    await site.pass(2 * hourMs);
    expect(site.server.calls).toBe(1);
    expect(report()).toMatchObject({ state: 'scheduled', left: 2 });
    site.server.end(1);
    await site.pass(hourMs);
    expect(report()).toMatchObject({
      ...{ state: 'ended', done: 1, left: 2 },
      examples: [{ why: 'the time of the order had passed before the server could be asked' }, {}],
    });
  });

  it('is not begun where Muster has nothing under its number', async () => {
    site.keeper.desired([{ number }]);
    await site.pass();
    expect(site.lines).toEqual([`action ${number} is not carried out here: nothing is ordered under this number here`]);
    await site.pass(minuteMs);
    expect(site.lines).toHaveLength(1);
  });
});

describe('an order that cannot be worked on', () => {
  const next = (number + 1) as ActionNumber;

  it('keeps no other from it, and is said once', async () => {
    site.ordered(number, highstate, 'a');
    site.ordered(next, highstate, 'b');
    site.keeper.desired([{ number }, { number: next }]);
    site.muster.refuses.set(number, new RefusedByMuster('Muster refuses it (rate-limited): later', false));
    await site.pass();
    await site.pass(minuteMs);
    expect(site.muster.reports.get(next)).toMatchObject({ state: 'scheduled' });
    expect(site.lines.filter((line) => line.includes('cannot be worked on'))).toHaveLength(1);
    site.muster.refuses.clear();
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'scheduled' });
  });

  it('is given up when Muster refuses it for good', async () => {
    site.ordered(number, highstate, 'a');
    site.muster.refuses.set(number, new RefusedByMuster('Muster refuses it (invalid): no', true));
    await site.pass();
    site.muster.refuses.clear();
    await site.pass(minuteMs);
    expect(site.lines).toEqual([`action ${number} is given up: Muster refuses it (invalid): no`]);
    expect(site.server.calls).toBe(0);
  });

  it('is asked for again after ten seconds where it is not whole yet, and the server lists nothing for it', async () => {
    site.muster.given.set(number, { is: 'later', why: 'added' });
    site.keeper.desired([{ number }]);
    for (let n = 0; n < 5; n++) await site.pass(2 * secondMs);
    expect(site.server.asked.get('api.getVersion')).toBe(1);
    expect(site.server.asked.has('system.getMinionIdMap')).toBe(false);
    site.ordered(number, highstate, 'a');
    await site.pass(10 * secondMs);
    expect(report()).toMatchObject({ state: 'scheduled' });
  });

  it('is left where this agent does not know it, and where it reboots more than a server is asked for', async () => {
    site.ordered(number, { do: 'unknown' }, 'a');
    await site.pass();
    expect(report()).toMatchObject({ state: 'ended', left: 1, examples: [{ why: 'this agent does not know this action: upgrade it' }] });
    const many = Array.from({ length: rebootsMax + 1 }, (_, n) => `m${n}`);
    site.has(...many);
    site.ordered(next, { do: 'reboot' }, ...many);
    await site.pass(minuteMs);
    expect(site.server.calls).toBe(rebootsMax);
    expect(site.muster.reports.get(next)).toMatchObject({ left: 1 });
  });

  it('asks the server for nothing after its time, also between two calls', async () => {
    site.ordered(number, { do: 'reboot' }, 'a', 'b', 'c');
    const { writes } = site.server;
    site.server.writes = (method, values) => {
      site.nowMs += 40 * minuteMs;
      return writes(method, values);
    };
    await site.pass();
    expect(site.server.calls).toBe(2);
    expect(report()).toMatchObject({ left: 1 });
  });

  it('is not taken for cancelled where the server refuses a list', async () => {
    site.ordered(number, highstate, 'a');
    await site.pass();
    site.server.end(1);
    site.server.refuses.set('schedule.listCompletedSystems', 'unhandled internal exception');
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'scheduled', cancelled: 0 });
    // The words are no reason either, as long as the server lists the action.
    site.server.refuses.set('schedule.listCompletedSystems', `Could not find action with id: 101`);
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'scheduled', cancelled: 0 });
    site.server.refuses.clear();
    site.server.actions.splice(0);
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'ended', cancelled: 1 });
  });
});

describe('a call whose answer was lost', () => {
  it('is unknown after two minutes also where the server refuses its list', async () => {
    site.server.trouble = 'after';
    site.ordered(number, highstate, 'a');
    site.server.refuses.set('schedule.listAllActions', 'no');
    await site.pass();
    await site.pass(3 * minuteMs);
    expect(report()).toMatchObject({ unknown: 1 });
  });

  it('is not made again: what it has scheduled is found by its moment', async () => {
    site.server.trouble = 'after';
    site.ordered(number, highstate, 'a', 'b');
    await site.pass();
    expect(report()).toBeUndefined();
    site.restarted();
    await site.pass(minuteMs);
    expect(site.server.calls).toBe(1);
    expect(report()).toMatchObject({ state: 'scheduled', id: 101 });
  });

  it('is looked for for two minutes, and then counts as unknown', async () => {
    site.server.trouble = 'before';
    site.ordered(number, highstate, 'a', 'b');
    await site.pass();
    await site.pass(minuteMs);
    expect(report()).toMatchObject({ state: 'scheduled', unknown: 0 });
    await site.pass(2 * minuteMs);
    expect(report()).toMatchObject({ state: 'ended', unknown: 2 });
    expect(site.server.calls).toBe(1);
  });

  it('is found where the server was still at it', async () => {
    site.server.trouble = 'slow';
    site.ordered(number, highstate, 'a');
    await site.pass();
    await site.pass(30 * secondMs);
    site.server.actions.push(...site.server.coming.splice(0));
    await site.pass(30 * secondMs);
    expect(report()).toMatchObject({ state: 'scheduled', id: 101 });
    expect(site.server.calls).toBe(1);
  });

  it('asks for no client system twice, and counts no more than there are, whatever goes wrong and when', async () => {
    const troubles = fc.array(fc.option(fc.constantFrom<Trouble>('before', 'after', 'refuses', 'slow'), { nil: undefined }), {
      maxLength: 8,
    });
    const orders = fc.array(fc.constantFrom<What>(highstate, { do: 'reboot' }, { do: 'packages' }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(troubles, orders, async (some, whats) => {
        const folder = mkdtempSync(join(tmpdir(), 'muster-agent-'));
        const played = new ActionSite(folder);
        played.has('a', 'b', 'c');
        for (const [n, what] of whats.entries())
          played.muster.given.set((number + n) as ActionNumber, {
            is: 'taken',
            what,
            until: (played.nowMs + hourMs) as EpochMs,
            systems: ['a', 'b', 'c'].map(fpOf),
          });
        played.keeper.desired(whats.map((_, n) => ({ number: (number + n) as ActionNumber })));
        for (const trouble of [...some, ...Array.from({ length: 12 }, () => undefined)]) {
          played.server.trouble = trouble;
          await played.pass(40 * secondMs);
          played.server.actions.push(...played.server.coming.splice(0));
          for (const sid of [1, 2, 3]) played.server.end(sid);
          played.restarted();
        }
        const asked = played.server.calls;
        const wanted = whats.reduce((sum, { do: what }) => sum + (what === 'reboot' ? 3 : 1), 0);
        expect(asked).toBe(wanted);
        for (const [n] of whats.entries()) {
          const { state, done = 0, left = 0, unknown = 0, cancelled = 0 } = played.muster.reports.get((number + n) as ActionNumber) ?? {};
          expect({ state, all: done + left + unknown + cancelled }).toEqual({ state: 'ended', all: 3 });
        }
        const ids = played.server.actions.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 25 },
    );
  });
});

describe('what a host allows', () => {
  it('is a list, or nothing', () => {
    expect(AllowedActions.parse('reboot, command')).toEqual(['reboot', 'command']);
    expect(AllowedActions.parse('none')).toEqual([]);
    expect(usualActions).not.toContain('command');
    for (const wrong of ['', 'all', 'reboot,none', 'highstate,dance']) expect(AllowedActions.safeParse(wrong).success).toBe(false);
  });
});
