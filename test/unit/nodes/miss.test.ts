import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeReport } from '../../../events/reported/node.ts';
import { intervalMsOfLease, leaseMsOf } from '../../../lib/core/lease.ts';
import { type EpochMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import { Node } from '../../../lib/nodes/node.ts';
import { isVotingOver } from '../../../lib/nodes/on-miss.ts';
import { aNode, at, fpOf, noon } from '../../../tools/support/builders.ts';
import { aBeat, tick } from './reports.ts';

type Miss = Extract<NodeCommand, { type: 'miss' }>;

const here = '192.0.2.0/24';
const there = '2001:db8:1::/48';

const miss = (who: number, network: string, seconds = 5, generation = 1): Miss => ({
  type: 'miss',
  id: `miss-${who}-${network}`,
  system: fpOf(who),
  network,
  generation,
  at: at(seconds),
});

/** The node after all of these, each as it comes. */
const heard = (node: Node, ...said: readonly (Miss | NodeReport)[]): Node =>
  said.reduce<Node>((one, input) => {
    const decision = decide(one, input, 'at' in input ? input.at : input.receivedAt);
    return decision.does === 'write' ? Node.parse(decision.next) : one;
  }, node);

const enough = [miss(1, here), miss(2, here), miss(3, there)];
const isSuspect = (node: Node, seconds: number): boolean => {
  const decision = decide(node, tick, at(seconds));
  return decision.does === 'write' && decision.next.status === 'suspect';
};

describe('witnesses (guard-rail 4): a node that was last heard at noon, and beats every 10 s', () => {
  it('is suspect after 1.5 intervals when three of its clients from two networks miss it, and says who', () => {
    const node = heard(aNode(), ...enough);

    expect(isSuspect(node, 14.9)).toBe(false);
    expect(decide(node, tick, at(15))).toMatchObject({
      does: 'write',
      next: { status: 'suspect', was: 'up', leaseUntil: at(38), awaitsPlan: true },
      events: [{ type: 'node.suspected' }],
      because: `not heard for 15 s, and its client systems cannot reach it: 3 in 2 networks report this (${fpOf(1).slice(0, 12)}… in ${here}, ${fpOf(2).slice(0, 12)}… in ${here}, ${fpOf(3).slice(0, 12)}… in ${there}): suspect before its lease ran out (rule 4)`,
    });
  });

  it('is looked at again in time', () => {
    const node = heard(aNode(), miss(1, here), miss(2, here));

    expect(decide(node, miss(3, there), at(5))).toMatchObject({ does: 'write', wakeAt: at(15) });
    expect(decide(heard(node, miss(3, there)), tick, at(6))).toMatchObject({ does: 'nothing', wakeAt: at(15) });
    expect(decide(node, tick, at(6))).toMatchObject({ does: 'nothing', wakeAt: at(38) });
  });

  it.each([
    { of: 'two clients', said: enough.slice(1) },
    { of: 'one client again and again', said: [miss(1, here), miss(1, there), miss(1, '198.51.100.0/24')] },
    { of: 'one network, however many keys it has', said: Array.from({ length: 50 }, (_, n) => miss(n, here)) },
    { of: 'another membership', said: [miss(1, here), miss(2, here), miss(3, there, 5, 2)] },
    { of: 'clients that spoke before its last word', said: enough.map((one) => ({ ...one, at: noon })) },
  ])('is not believed lost by $of', ({ said }) => {
    expect(isSuspect(heard(aNode(), ...said), 37)).toBe(false);
    expect(isSuspect(heard(aNode(), ...said), 38)).toBe(true);
  });

  it('is not shut out by one network that speaks first: another one is still heard', () => {
    const crowd = Array.from({ length: 50 }, (_, n) => miss(n, here));

    expect(isSuspect(heard(aNode(), ...crowd, miss(99, there)), 15)).toBe(true);
  });

  it('is rid of every vote by a word of its own, and counts those that come after it', () => {
    const node = heard(aNode(), ...enough, aBeat({ receivedAt: at(10) }));

    expect(node).not.toHaveProperty('missed');
    expect(isSuspect(node, 47)).toBe(false);
    expect(isSuspect(heard(node, ...enough.map((one) => ({ ...one, at: at(12) }))), 25)).toBe(true);
  });

  it('keeps the votes that came after a heartbeat which was late', () => {
    const node = heard(aNode(), ...enough, aBeat({ receivedAt: at(3) }));

    expect(node).toMatchObject({ missed: [{ at: at(5) }, { at: at(5) }, { at: at(5) }] });
  });

  it('is heard again in time: the suspicion ends, and its votes with it', () => {
    const suspect = decide(heard(aNode(), ...enough), tick, at(15));
    const back = decide('next' in suspect ? suspect.next : undefined, aBeat({ receivedAt: at(16) }), at(16));

    expect(back).toMatchObject({ does: 'write', next: { status: 'up' }, events: [{ type: 'node.recovered' }] });
    expect('next' in back && back.next).not.toHaveProperty('missed');
  });

  it('is given up by nobody while we may have slept ourselves', () => {
    const node = heard(aNode(), ...enough);

    expect(decide(node, { type: 'tick', graceUntil: at(30) }, at(20))).toMatchObject({ does: 'nothing', wakeAt: at(30) });
    expect(decide(node, { type: 'tick', graceUntil: at(30) }, at(30))).toMatchObject({ does: 'write', next: { status: 'suspect' } });
  });

  it.each([
    aNode({ status: 'quarantined' }),
    aNode({ status: 'suspect' }),
    aNode({ status: 'down' }),
    aNode({ status: 'dropped' }),
    aNode({ status: 'leaving', leaving: { mode: 'hold', since: noon, until: at(600) } }),
  ])('is not asked about while it is $status: nothing is written', (node) => {
    expect(decide(node, miss(1, here), at(5)).does).toBe('nothing');
    expect(isVotingOver(node)).toBe(true);
  });

  it('is asked about while it drains and while it joins', () => {
    for (const node of [aNode({ status: 'leaving' }), aNode({ status: 'joining' })])
      expect(isSuspect(heard(node, ...enough), 15)).toBe(true);
  });

  it('asks no more once enough have spoken, so that a thousand clients cost three writes', () => {
    const node = heard(aNode(), ...enough);

    expect(isVotingOver(node)).toBe(true);
    expect(isVotingOver(heard(aNode(), ...enough.slice(1)))).toBe(false);
    expect(decide(node, miss(4, '198.51.100.0/24'), at(6))).toMatchObject({
      does: 'nothing',
      because: 'enough client systems have reported this',
    });
  });

  type Vote = { readonly who: number; readonly network: number; readonly seconds: number; readonly generation: number };
  const vote = fc.record({ who: fc.nat(20), network: fc.nat(3), seconds: fc.nat(40), generation: fc.integer({ min: 1, max: 2 }) });
  /** The seconds within its lease in which a tick would make the node suspect, while these clients speak. */
  const suspectedIn = (votes: readonly Vote[], networkOf: (vote: Vote) => number, beats: boolean): number[] => {
    let node: Node = aNode();
    return Array.from({ length: 37 }, (_, n) => n + 1).filter((second) => {
      const said = votes.filter(({ seconds }) => seconds === second);
      node = heard(node, ...said.map((one) => miss(one.who, `192.0.${networkOf(one)}.0/24`, second, one.generation)));
      if (beats && second % 11 === 0) node = heard(node, aBeat({ seq: second, receivedAt: at(second) }));
      return isSuspect(node, second);
    });
  };

  it('whoever says what: one network never makes it suspect within its lease, nor anybody one that beats', () => {
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 40 }), (votes) => {
        expect(suspectedIn(votes, () => 2, false)).toEqual([]);
        expect(suspectedIn(votes, ({ network }) => network, true)).toEqual([]);
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  it('and enough clients of two networks always do, whatever others say', () => {
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 40 }), (votes) => {
        const honest = [1, 2, 3].map((who) => ({ who: 30 + who, network: who, seconds: 20, generation: 1 }));

        expect(suspectedIn([...votes, ...honest], ({ network }) => network, false)).toContain(21);
      }),
      { seed: 5, numRuns: 200 },
    );
  });

  it('waits longer where a second is much: a word that is late by its jitter and a second is no silence', () => {
    const everySecond = aNode({ leaseUntil: plusMs(noon, leaseMsOf(secondMs)) });

    expect(intervalMsOfLease(leaseMsOf(secondMs))).toBeCloseTo(secondMs);
    expect(decide(heard(everySecond, ...enough.map((one) => ({ ...one, at: at(1) }))), tick, (noon + 2_099) as EpochMs).does).toBe(
      'nothing',
    );
    expect(isSuspect(heard(everySecond, ...enough.map((one) => ({ ...one, at: at(1) }))), 2.1)).toBe(true);
  });
});
