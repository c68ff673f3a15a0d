import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnnumberedReport } from '../../../../../programs/agent/processes/words.ts';
import { aService, echo, instances, PlayedHost, type Turn, turn } from './played.ts';

const turns = fc.array(turn, { minLength: 30, maxLength: 120 });
const played = (all: readonly Turn[]): PlayedHost => {
  const host = new PlayedHost(aService());
  for (const one of all) host.play(one);
  return host;
};

/** Whether each word of an instance follows from the ones before, as Muster takes them. */
function follow(words: readonly UnnumberedReport[]): void {
  const is = new Map<string, string>();
  const from: Readonly<Record<string, readonly string[]>> = {
    'service.starting': ['nothing', 'starting'],
    'service.started': ['starting', 'online'],
    'service.stopping': ['starting', 'online', 'stopping'],
    'service.stopped': ['nothing', 'starting', 'online', 'stopping', 'failed', 'ended'],
    'service.failed': ['nothing', 'starting', 'online', 'stopping', 'failed', 'ended'],
  };
  for (const { type, data } of words) {
    const before = is.get(data.instance) ?? 'nothing';
    if (!from[type]) continue;
    expect(from[type], `${type} of ${data.instance}`).toContain(before);
    is.set(data.instance, { 'service.started': 'online', 'service.stopped': 'ended' }[type as string] ?? type.slice('service.'.length));
  }
}

describe('whatever happens to a service of a host', () => {
  it('no instance is started twice or beside another, one thing is done at a time, and each word follows', () => {
    fc.assert(
      fc.property(turns, (all) => follow(played(all).words)),
      { seed: 71, numRuns: 300 },
    );
  });

  it('once it is quiet, what is wanted to stop does not run, and what runs is on record', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const host = played(all);
        host.settle();
        const held = host.state.held.get(echo);
        expect(held?.is === 'idle' || held === undefined, JSON.stringify(held)).toBe(host.living === undefined);
        if (host.wanted?.goal !== 'run') expect(host.living).toBeUndefined();
        else if (host.living) expect([host.living.instance, held?.life]).toEqual([host.wanted.instance, host.living.life]);
        for (const { id } of host.living ? host.wanted!.asks : []) expect(held?.answered).toContain(id);
      }),
      { seed: 72, numRuns: 200 },
    );
  });

  it('a new instance always comes to run, and no message is given twice', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const host = played(all);
        host.wanted = aService({ instance: instances[2]! });
        host.tell();
        host.settle();
        expect(host.living?.instance).toBe(instances[2]);
        expect(host.words.at(-1)).toMatchObject({ type: 'service.started', data: { instance: instances[2], ...host.living!.life } });
        expect([...host.messages.values()].every((times) => times === 1)).toBe(true);
      }),
      { seed: 73, numRuns: 200 },
    );
  });
});
