import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../lib/core/decision.ts';
import { dayMs, type EpochMs, minuteMs, plusMs } from '../../../lib/core/time.ts';
import {
  type DeadLetter,
  type DeadLetterInput,
  type Death,
  decideDeadLetter,
  redriveOf,
  upToDate,
} from '../../../lib/runtime/dead-letter.ts';
import { noon } from '../../../tools/support/a-row.ts';

const at = (minutes: number): EpochMs => plusMs(noon, minutes * minuteMs);
const aDeath = (more: Partial<Death> = {}): Death => ({
  type: 'death',
  id: 'm1',
  letter: 'm1',
  attempt: 0,
  queue: 'reports',
  via: 'door',
  body: '{}',
  sentAt: at(-1),
  receives: 1,
  code: 'row.busy',
  reason: 'node n1 kept moving',
  ...more,
});
const redriven = (attempt: number, id = 'call-1'): DeadLetterInput => ({ type: 'redriven', id, attempt });
const drop: DeadLetterInput = { type: 'drop', id: 'call-9' };

const nextOf = (decision: Decision<DeadLetter>): DeadLetter => {
  if (decision.does !== 'write') throw new Error(`nothing is written: ${decision.because}`);
  return decision.next;
};
/** The letter after all of these, a minute apart, from noon. */
const letterAfter = (...inputs: readonly DeadLetterInput[]): DeadLetter | undefined =>
  inputs.reduce<DeadLetter | undefined>((letter, input, minutes) => {
    const decision = decideDeadLetter(letter, input, at(minutes));
    return decision.does === 'write' ? decision.next : letter;
  }, undefined);

describe('a letter', () => {
  it('has the errors of its first and its latest death, and counts deaths and receives', () => {
    const again = aDeath({ id: 'm2', attempt: 1, receives: 5, code: 'wrong-shape', reason: 'node.up: /data' });
    expect(letterAfter(aDeath({ receives: 3 }), redriven(1), again)).toEqual({
      id: 'm1',
      status: 'dead',
      queue: 'reports',
      via: 'door',
      message: '{}',
      bytes: 2,
      sentAt: at(-1),
      receives: 8,
      deaths: 2,
      died: 1,
      first: { code: 'row.busy', reason: 'node n1 kept moving', at: noon },
      last: { code: 'wrong-shape', reason: 'node.up: /data', at: at(2) },
      redriven: { attempt: 1, at: at(1), by: 'call-1' },
    });
  });

  it('has a reason without half a character, whether a cut made one or the message that it quotes', () => {
    const reasons = [`${'x'.repeat(999)}\u{1f600}${'x'.repeat(9)}`, 'a report: /\ud83d'];
    expect(reasons.map((reason) => letterAfter(aDeath({ reason }))!.last.reason)).toEqual([
      `${'x'.repeat(999)}\ufffd…`,
      'a report: /\ufffd',
    ]);
  });

  it('is kept for a fortnight after the last that happened to it', () => {
    const expiry = (input: DeadLetterInput, letter?: DeadLetter) => {
      const decision = decideDeadLetter(letter, input, at(10));
      return decision.does === 'write' ? decision.expiresAt : undefined;
    };
    const dead = letterAfter(aDeath())!;
    expect(expiry(aDeath())).toBe(plusMs(at(10), 14 * dayMs));
    expect(expiry(redriven(1), dead)).toBe(plusMs(at(10), 14 * dayMs));
    expect(expiry(drop, dead)).toBe(plusMs(noon, 14 * dayMs));
  });

  it('does not count the same attempt twice, whatever its copies failed of', () => {
    const letter = letterAfter(aDeath(), redriven(1), aDeath({ id: 'm2', attempt: 1 }))!;
    for (const repeat of [aDeath({ receives: 2 }), aDeath({ id: 'm3', attempt: 1, code: 'other' })])
      expect(decideDeadLetter(letter, repeat, at(9)).does).toBe('nothing');
  });

  it('is not dead while a later attempt than the one that died is under way', () => {
    const letter = letterAfter(aDeath(), redriven(1), redriven(2, 'call-2'), aDeath({ id: 'm2', attempt: 1, reason: 'busy again' }))!;
    expect(letter).toMatchObject({ status: 'redriven', deaths: 2, died: 1, last: { reason: 'busy again' }, redriven: { attempt: 2 } });
    expect(nextOf(decideDeadLetter(letter, aDeath({ id: 'm3', attempt: 2 }), at(9)))).toMatchObject({ status: 'dead', deaths: 3 });
  });

  it('that was dropped has no message, is not brought back by a repeat, and is by an attempt that was under way', () => {
    const letter = letterAfter(aDeath({ body: 'a report' }), redriven(1), drop)!;
    expect(letter).toMatchObject({ status: 'dropped', message: '', bytes: 8, dropped: { at: at(2), by: 'call-9' } });
    expect(decideDeadLetter(letter, aDeath({ body: 'a report' }), at(9)).does).toBe('nothing');

    const back = nextOf(decideDeadLetter(letter, aDeath({ id: 'm2', attempt: 1, body: 'a report' }), at(9)));
    expect(back).toMatchObject({ status: 'dead', message: 'a report', deaths: 2 });
    expect(back).not.toHaveProperty('dropped');
  });

  it('that nobody knows any more cannot be dropped or marked', () => {
    expect([drop, redriven(1)].map((input) => decideDeadLetter(undefined, input, noon).does)).toEqual(['nothing', 'nothing']);
  });
});

describe('the mark that a letter was given back', () => {
  it('is not made when it has died again meanwhile: it would hide that', () => {
    const letter = letterAfter(aDeath(), aDeath({ id: 'm2', attempt: 1, reason: 'no report' }))!;
    expect(decideDeadLetter(letter, redriven(1), at(9))).toEqual({
      does: 'nothing',
      because: 'given back, and died again at once: no report',
    });
  });

  it('is made once when two operators gave it back at once', () => {
    const letter = letterAfter(aDeath(), redriven(1, 'call-a'), redriven(1, 'call-b'))!;
    expect(letter).toMatchObject({ redriven: { attempt: 1, by: 'call-a', at: at(1) } });
  });

  it('does not bring back what was dropped meanwhile', () => {
    expect(letterAfter(aDeath(), drop, redriven(1))).toMatchObject({ status: 'dropped' });
  });
});

describe('giving a letter back', () => {
  const dead = letterAfter(aDeath())!;
  const given = letterAfter(aDeath(), redriven(1))!;

  it('is attempt one more than any that was given back or died', () => {
    expect(redriveOf(dead, false)).toEqual({ attempt: 1 });
    expect(redriveOf(letterAfter(aDeath(), redriven(1), aDeath({ attempt: 1 })), false)).toEqual({ attempt: 2 });
    expect(redriveOf(letterAfter(aDeath({ attempt: 7 })), false)).toEqual({ attempt: 8 });
  });

  it('is done already when it was, unless it is wanted again', () => {
    expect(redriveOf(given, false)).toEqual({
      done: true,
      because: `given back already, ${new Date(at(1)).toISOString()}, and it has not died since`,
    });
    expect(redriveOf(given, true)).toEqual({ attempt: 2 });
  });

  it.each([
    ['nobody knows', undefined, /no dead letter has this id/],
    ['an operator dropped', letterAfter(aDeath(), drop), /dropped/],
    ['was too long to be kept whole', letterAfter(aDeath({ body: 'x'.repeat(256 * 1024 + 1) })), /its sender must send it again/],
    [
      'is an image that was not kept whole',
      letterAfter(aDeath({ queue: 'feed', via: 'feed', body: 'x'.repeat(256 * 1024 + 1) })),
      /its events cannot be published/,
    ],
  ])('is refused for one that %s', (_what, letter, because) => {
    expect(redriveOf(letter, true)).toEqual({ done: false, because: expect.stringMatching(because) });
  });
});

describe('a letter of the version before', () => {
  const before = {
    id: 'm1',
    via: 'bus',
    message: '{"é":1}',
    code: 'wrong-shape',
    reason: 'no',
    sentAt: at(-1),
    deadAt: noon,
    receives: 2,
  } as const;

  it('is read as ours, and goes on from there', () => {
    const failure = { code: 'wrong-shape', reason: 'no', at: noon };
    const letter = {
      id: 'm1',
      status: 'dead',
      queue: 'reports',
      via: 'bus',
      message: '{"é":1}',
      bytes: 8,
      sentAt: at(-1),
      receives: 2,
      deaths: 1,
    };
    expect(upToDate(before)).toEqual({ ...letter, died: 0, first: failure, last: failure });
    expect(nextOf(decideDeadLetter(before as never, aDeath({ attempt: 1 }), at(9)))).toMatchObject({ deaths: 2, first: failure });
  });

  it.each([
    ['was cut', { ...before, message: 'x'.repeat(64 * 1024) }],
    ['could not go out', { ...before, via: 'feed' as const }],
  ])('that %s is not whole', (_what, letter) => {
    expect(redriveOf(upToDate(letter), false)).toMatchObject({ done: false });
  });
});
