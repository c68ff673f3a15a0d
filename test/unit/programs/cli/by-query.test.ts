import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { ran } from './a-terminal.ts';
import { type Answers, FakeDeployment } from './fake-deployment.ts';
import { aSystem, fingerprintOf } from './views.ts';

const expected = { total: 4, digest: 'A'.repeat(43), at: '2026-05-01T12:00:00.000Z' };
const result = (n: number, done = true) => ({ fp: fingerprintOf(n), done, because: 'as ordered' });
/** A search that finds so many client systems. */
const found = (total: number) => ({
  ...{ items: [1, 2, 3].slice(0, total).map((n) => aSystem(n)), total, query: 'web*', plan: [], facets: [] },
  ...{ asOf: expected.at, expect: { ...expected, total } },
});
/** The answer to each call of an order on four client systems. */
const answersTo = ({ body }: { readonly body: unknown }) => {
  const { cursor } = body as { readonly cursor?: string };
  if (cursor === undefined) return { results: [], next: 'one', left: 4 };
  return cursor === 'one' ? { results: [result(1), result(2)], next: 'two', left: 2 } : { results: [result(3), result(4)], left: 0 };
};

/** What a command prints against a deployment with these answers, what it asks, and the calls that it makes. */
async function against(line: readonly string[], answers: Answers, { says = 'y', stops = false } = {}) {
  const fake = await FakeDeployment.start({ findSystems: () => found(4), ...answers });
  const asked: string[] = [];
  try {
    const printed = await ran(line, {
      ...{ env: { MUSTER_ENDPOINT: fake.url } },
      ...(stops && {
        onInterrupt: (then: () => void) => {
          then();
          return () => undefined;
        },
      }),
      ask: async (question) => {
        asked.push(question);
        return says;
      },
    });
    return { ...printed, asked, calls: fake.received.map(({ route, received }) => [route, received.body ?? received.query] as const) };
  } finally {
    await fake.stop();
  }
}

describe('a command with --query', () => {
  it('says how many match and names a few, asks, and follows the calls to the end', async () => {
    const unregister = ['system', 'unregister', '--query', 'tag:old web*'];
    const { asked, calls, err, code } = await against(unregister, { unregister: answersTo });

    expect(asked).toEqual(['Unregister 4 client systems: web1.acme.org, web2.acme.org, web3.acme.org and 1 more? [y/N] ']);
    expect({ err, code }).toEqual({ err: '4 unregistered\n', code: 0 });
    const body = { query: 'tag:old web*', expect: expected };
    expect(calls).toEqual([
      ['findSystems', { q: 'tag:old web*', expect: 'yes', limit: 3, sort: 'name' }],
      ['unregister', body],
      ['unregister', { ...body, cursor: 'one' }],
      ['unregister', { ...body, cursor: 'two' }],
    ]);
  });

  it.each([
    [['ban'], 'ban', 'Ban forever 4 client systems', {}],
    [['unpin'], 'unpinSystems', 'Unpin 4 client systems', {}],
    [['pin', '--node', 'node7.acme.org'], 'pinSystems', 'Pin to node7.acme.org 4 client systems', { node: 'node7.acme.org', soft: false }],
    [['accept', '--tag', 'web'], 'accept', 'Accept 4 client systems', { tags: ['web'], groups: [], earlier: 0 }],
    [
      ['tag', '--add', 'web'],
      'editSystems',
      'Change tags and groups of 4 client systems',
      { tags: { add: ['web'], remove: [] }, groups: { add: [], remove: [] }, dryRun: false },
    ],
  ] as const)('system %j › orders what it asks', async (words, route, question, more) => {
    const { asked, calls, code } = await against(['system', ...words, '--query', 'web*'], { [route]: answersTo });
    expect(asked).toEqual([expect.stringContaining(question)]);
    expect(code).toBe(0);
    expect(calls[1]).toEqual([route, { ...more, query: 'web*', expect: expected }]);
    expect(calls).toHaveLength(4);
  });

  it('orders nothing after a no, when nothing matches, or when too many do', async () => {
    const ban = ['system', 'ban', '--query', 'web*'];
    const no = await against(ban, {}, { says: 'n' });
    expect([no.code, no.calls.length]).toEqual([1, 1]);
    const none = await against(ban, { findSystems: () => found(0) });
    expect([none.err, none.code, none.asked, none.calls.length]).toEqual(['no client system matches\n', 0, [], 1]);
    const { expect: _without, ...many } = found(100_001);
    const all = await against(ban, { findSystems: () => many });
    expect([all.code, all.asked, all.calls.length]).toEqual([1, [], 1]);
    expect(all.err).toContain('100001 client systems match, and one command is for at most 100000');
  });

  it('asks nothing with --yes, or for a dry run', async () => {
    const yes = await against(['system', 'ban', '--yes', '--query', 'web*'], { ban: answersTo });
    expect([yes.code, yes.asked]).toEqual([0, []]);
    const dry = await against(['system', 'tag', '--dry-run', '--add', 'web', '--query', 'web*'], { editSystems: answersTo });
    expect([dry.code, dry.asked, dry.err]).toEqual([0, [], '4 to be done\n']);
  });

  it('shows what was done before others matched', async () => {
    const detail = '2 client systems matched behind the 2 of earlier calls when the query was previewed, and 1 match now';
    const { out, err, code } = await against(['system', 'ban', '--query', 'web*'], {
      ban: (received) => {
        if ((received.body as { cursor?: string }).cursor === 'two') throw new Refusal('matches-changed', detail);
        return answersTo(received);
      },
    });
    expect(code).toBe(1);
    expect(out).toContain(fingerprintOf(1).slice(0, 16));
    expect(err).toContain('2 of 4 banned before this:\n');
    expect(err).toContain(detail);
    expect(err).toContain('Repeat the command: it shows what matches now');
  });

  it('ends after the call that is under way when it is interrupted', async () => {
    const { err, code, calls } = await against(['system', 'ban', '--query', 'web*'], { ban: answersTo }, { stops: true });
    expect([code, calls.length]).toEqual([130, 2]);
    expect(err).toContain('stopped: 0 of 4 banned; the others are unchanged');
  });

  it('takes fingerprints or a query, and not both', async () => {
    for (const verb of [['unregister'], ['ban'], ['unpin'], ['pin', '--node', 'node7.acme.org'], ['tag', '--add', 'web'], ['accept']])
      for (const which of [[], [fingerprintOf(1), '--query', 'web*']]) {
        const { code, calls } = await against(['system', ...verb, ...which], {});
        expect([verb, which.length, code, calls]).toEqual([verb, which.length, 2, []]);
      }
  });
});
