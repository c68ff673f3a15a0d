import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { exitCodes } from '../../../../programs/cli/exit-codes.ts';
import { against } from './against.ts';
import type { Answers } from './fake-deployment.ts';

describe('an order to dead letters', () => {
  const given = { id: 'm1', done: true, because: 'given back to the queue reports, attempt 1' };
  const gone = { id: 'm2', done: false, because: 'no dead letter has this id, or it has expired' };
  const busy = { id: 'm3', done: false, busy: true, because: 'busy, try again' };

  it.each([
    ['can never take › exits with 1', [given, gone], exitCodes.failed],
    ['is too busy to take › exits with 75', [given, gone, busy], exitCodes.tryAgain],
  ])('that one of them %s, and shows which', async (_what, results, code) => {
    const result = await against({ redriveDeadLetters: () => ({ results }) }, 'dlq redrive m1 m2 m3');
    expect(result).toMatchObject({ err: `muster: ${results.length - 1} of ${results.length} not given back\n`, code });
    expect(result.out.trim().split('\n')).toHaveLength(1 + results.length);
  });

  it('that fails on the way › shows what became of those before', async () => {
    const answers: Answers = {
      dropDeadLetters: ({ body }) => {
        if ((body as { cursor?: string }).cursor) throw new Refusal('busy', 'Muster is busy');
        return { results: [given], next: 'page-2' };
      },
    };
    const { out, err, code } = await against(answers, 'dlq delete --code row.busy --yes --json');
    expect({ shown: JSON.parse(out), err: JSON.parse(err), code }).toEqual({
      shown: { results: [given] },
      err: { error: { message: 'Muster is busy', advice: 'Try again', problem: 'busy', exitCode: exitCodes.tryAgain } },
      code: exitCodes.tryAgain,
    });
  });

  it('of a code that none has › is done', async () => {
    expect(await against({ redriveDeadLetters: () => ({ results: [] }) }, 'dlq redrive --code row.busy')).toEqual({
      out: '',
      err: 'no dead letter matches\n',
      code: exitCodes.done,
      routes: ['redriveDeadLetters'],
    });
  });

  it('to drop them › asks first, and says what it is about', async () => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return 'n';
    };
    for (const line of ['dlq delete m1', 'dlq delete m1 m2', 'dlq delete --code row.busy --queue reports'])
      expect(await against({}, line, { ask })).toMatchObject({ code: exitCodes.failed, routes: [] });
    expect(asked).toEqual([
      'Drop the dead letter m1? Muster keeps no other copy. [y/N] ',
      'Drop 2 dead letters? Muster keeps no other copy. [y/N] ',
      'Drop every dead letter with the code row.busy in the queue reports? Muster keeps no other copy. [y/N] ',
    ]);
  });

  it('to show one that is gone › says where to look', async () => {
    const gone = {
      getDeadLetter: () => {
        throw new Refusal('unknown-dead-letter', 'm1 was dropped at noon');
      },
    };
    expect(await against(gone, 'dlq show m1')).toMatchObject({
      err: 'muster: m1 was dropped at noon. List dead letters: dlq list\n',
      code: exitCodes.failed,
    });
  });
});
