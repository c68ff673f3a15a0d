import { describe, expect, it } from 'vitest';
import type { Fingerprint } from '../../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import { SystemsHere } from '../../../../../programs/agent/salt/here.ts';
import type { KeyStates } from '../../../../../programs/agent/salt/keys.ts';
import type { Memory, Verdict } from '../../../../../programs/agent/salt/memory.ts';

const fpOf = (digit: string): Fingerprint => digit.repeat(64) as Fingerprint;
const key = (id: string, digit: string) => ({ id, fp: fpOf(digit), since: 0 as EpochMs });
const states = (...accepted: KeyStates['accepted']): KeyStates => ({ accepted, pending: [], rejected: [], denied: [] });
const verdict = (is: Verdict['verdict'], name: string): Verdict => ({ verdict: is, fp: fpOf(name), askedAt: 0 as EpochMs });

/** What is here by a memory, with what has become of it. */
function withMemory(first: Partial<Memory>) {
  let memory: Memory = { version: 1, verdicts: {}, applied: [], ...first };
  const here = new SystemsHere(
    () => memory,
    (next) => {
      memory = next;
    },
  );
  return { here, memory: () => memory };
}

describe('the client systems that are here', () => {
  const verdicts = {
    [fpOf('1')]: verdict('accept', 'a'),
    [fpOf('2')]: verdict('not-yours', 'b'),
    [fpOf('3')]: { verdict: 'unknown', askedAt: 0 as EpochMs },
    [fpOf('4')]: verdict('not-yours', 'd'),
  } as Memory['verdicts'];
  const all = states(key('one', '1'), key('two', '2'), key('three', '3'), key('four', '4'), key('five', '5'));

  it('are those on the list or accepted by Muster, and nobody while there is no list', () => {
    const { here } = withMemory({ verdicts });
    expect(here.minions()).toBeUndefined();
    here.look(all, new Set([fpOf('b')]));
    expect([...(here.minions() ?? [])]).toEqual(['one', 'two']);
    expect([here.has(fpOf('a')), here.has(fpOf('d'))]).toEqual([true, false]);
    expect(here.find('one')).toEqual({ fp: fpOf('a'), appliedAt: undefined });
    here.look(all, undefined);
    expect([here.minions(), here.find('one')]).toEqual([undefined, undefined]);
  });

  it('have the revision that was applied, or reported since, until it is to be applied again', () => {
    const { here, memory } = withMemory({ verdicts, applied: [fpOf('a')], revisions: { [fpOf('a')]: 4 } });
    here.look(all, new Set());
    here.reported(fpOf('a'), 5);
    here.reported(fpOf('b'), 9);
    expect([here.find('one')?.appliedAt, memory().revisions]).toEqual([5, { [fpOf('a')]: 4 }]);
    here.look(all, new Set());
    expect(memory().revisions, 'what was never applied has none').toEqual({ [fpOf('a')]: 5 });
    here.applyAgain(fpOf('a'));
    expect([here.find('one')?.appliedAt, memory().applied]).toEqual([undefined, []]);
  });
});
