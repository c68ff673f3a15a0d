import { describe, expect, it } from 'vitest';
import { type AuditHead, type AuditLink, auditForDays, hashOf, originOf, sealedHead } from '../../../lib/audit/chain.ts';
import { type Decision, write } from '../../../lib/core/decision.ts';
import { Later } from '../../../lib/core/errors.ts';
import { dayMs, plusMs } from '../../../lib/core/time.ts';
import { recorder } from '../../../lib/journal/changes.ts';
import { auditHeads, auditPartition, historyPartition } from '../../../lib/ports/table/keys.ts';
import type { Actor, Row } from '../../../lib/ports/table/table.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { recordAttempt } from '../../../lib/runtime/attempts.ts';
import { type HistoryEntry, onFeed } from '../../../lib/runtime/on-feed.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { aShell, committing, losingAnswers, outrun, type TestShell } from '../../../tools/support/a-shell.ts';

const anna: Actor = { who: 'admin:anna', key: 'k1', source: '192.0.2.7', request: 'call-1' };
const day = '2026-01-01';
const edited = { type: 'node.edited', version: 1, data: {} };
type State = { zone?: string; weight: number };

/** Somebody sets the weight of a node. */
const edit = (shell: Shell, id: string, next: State, actor = anna) =>
  apply<State, { id: string }>(
    { ...shell, actor },
    { noun: 'node', id },
    { id: shell.newId() },
    (): Decision<State> => write(next, `weight ${next.weight}`, { events: [edited] }),
  );
const follow = (shell: TestShell, by: Shell = shell, from = 0) => onFeed(recorder).handle(shell.table.feed.slice(from), by);
const inPartition = async <B>({ table }: Shell, pk: string): Promise<B[]> =>
  (await table.query({ pk, limit: 1_000 })).items.map(({ body }) => body as B);
const linksOf = (shell: Shell, zone: string, on = day) => inPartition<AuditLink>(shell, auditPartition({ zone, day: on }));
const headsOf = (shell: Shell, zone: string) => inPartition<AuditHead>(shell, auditHeads(zone));
const rowsOf = (shell: TestShell, prefix: string): Row[] => [...shell.table.rows.values()].filter(({ key }) => key.pk.startsWith(prefix));

describe('what somebody changed', () => {
  it('is an entry in the chain of its zone and day: who, by which key, from where, what and why', async () => {
    const shell = aShell();
    await edit(shell, 'n1', { zone: 'default', weight: 1 });
    await edit(shell, 'n1', { zone: 'default', weight: 2 }, { who: 'key:ci', source: '192.0.2.8', request: 'call-2' });
    await follow(shell);
    const [first, second] = await linksOf(shell, 'default');
    expect(first!.entry).toEqual({
      n: 1,
      at: noon,
      zone: 'default',
      ...anna,
      did: 'began',
      what: { noun: 'node', id: 'n1', row: 'node', rev: 1 },
      because: 'weight 1',
      events: { first: 1, types: ['node.edited'] },
    });
    expect(second!.entry).toMatchObject({ n: 2, who: 'key:ci', did: 'changed', fields: ['weight'], request: 'call-2' });
    expect(second!.entry).not.toHaveProperty('key');
  });

  it('is chained: each hash is of the one before it and of the entry, the first of the zone and the day', async () => {
    const shell = aShell();
    for (const weight of [1, 2, 3]) await edit(shell, 'n1', { zone: 'default', weight });
    await follow(shell);
    const links = await linksOf(shell, 'default');
    expect(links.map(({ previous }) => previous)).toEqual([originOf({ zone: 'default', day }), links[0]!.hash, links[1]!.hash]);
    const key = await shell.auditKeys.current();
    expect(links.map(({ entry, previous }) => hashOf(previous, entry, key))).toEqual(links.map(({ hash }) => hash));
    expect(links.map((link) => link.key)).toEqual([1, 1, 1]);
    expect(await headsOf(shell, 'default')).toEqual([sealedHead({ zone: 'default', day, n: 3, hash: links[2]!.hash }, key)]);
  });

  it('names who did it in the history of the node as well', async () => {
    const shell = aShell();
    await edit(shell, 'n1', { zone: 'default', weight: 1 });
    await follow(shell);
    const [entry] = await inPartition<HistoryEntry>(shell, historyPartition({ noun: 'node', id: 'n1' }));
    expect(entry?.who).toBe('admin:anna');
  });

  it('is in the chain of no zone when it is of none, or says a zone that cannot be', async () => {
    const shell = aShell();
    await edit(shell, 'n1', { weight: 1 });
    await edit(shell, 'n2', { zone: '-/..#', weight: 1 });
    await recordAttempt(shell, {
      request: { id: 'call-2', source: '192.0.2.9' },
      route: { method: 'POST', path: '/nodes/join' },
      type: 'join-denied',
      detail: 'the token was revoked',
    });
    await follow(shell);
    expect(
      (await linksOf(shell, '-')).map(({ entry: { did, what, refused, because } }) => [did, what.noun, refused?.type, because]),
    ).toEqual([
      ['began', 'node', undefined, 'weight 1'],
      ['began', 'node', undefined, 'weight 1'],
      ['tried', 'attempt', 'join-denied', 'join-denied: the token was revoked'],
    ]);
  });

  it('begins a chain a day, which says where the one before it ended, and is kept for 400 days after its day', async () => {
    const shell = aShell();
    await edit(shell, 'n1', { zone: 'default', weight: 1 });
    shell.step(3 * dayMs);
    await edit(shell, 'n1', { zone: 'default', weight: 2 });
    await follow(shell);
    const [before, after] = await headsOf(shell, 'default');
    expect(after).toMatchObject({ day: '2026-01-04', n: 1, follows: { day, n: 1, hash: before!.hash } });
    const [next] = await linksOf(shell, 'default', '2026-01-04');
    expect(next?.previous).toBe(originOf(after!));
    const kept = [...rowsOf(shell, 'audit#default#2026-01-01'), ...rowsOf(shell, 'audit-heads'), ...rowsOf(shell, 'audited')];
    expect([...new Set(kept.map(({ expiresAt }) => expiresAt))]).toEqual(
      [0, 3].map((days) => plusMs(noon, (0.5 + days + auditForDays) * dayMs)),
    );
  });
});

describe('what we do ourselves', () => {
  it('is in no chain', async () => {
    const shell = aShell();
    await apply<State, { id: string }>(shell, { noun: 'node', id: 'n1' }, { id: 'tick' }, () =>
      write({ weight: 1 }, 'by itself', { events: [edited] }),
    );
    await follow(shell);
    expect(rowsOf(shell, 'audit')).toEqual([]);
    expect(rowsOf(shell, 'history')).toHaveLength(1);
  });
});

describe('the feed', () => {
  const weights = Array.from({ length: 120 }, (_, n) => n + 1);
  const many = async (): Promise<TestShell> => {
    const shell = aShell();
    for (const weight of weights) await edit(shell, 'n1', { zone: 'default', weight });
    return shell;
  };
  const whole = async (shell: TestShell) => (await linksOf(shell, 'default')).map(({ entry }) => entry.because);
  const expected = weights.map((weight) => `weight ${weight}`);

  it('that hands everything over again, in other pieces, adds nothing', async () => {
    const shell = await many();
    await follow(shell);
    const before = rowsOf(shell, 'audit').map(({ key, rev }) => [key, rev]);
    await follow(shell);
    await follow(shell, shell, 70);
    expect(await whole(shell)).toEqual(expected);
    expect(rowsOf(shell, 'audit').map(({ key, rev }) => [key, rev])).toEqual(before);
  });

  it('that comes again after a crash before, between and after the commits loses nothing and keeps nothing twice', async () => {
    for (let survives = 0; ; survives++) {
      const shell = await many();
      let commits = 0;
      const dying = committing(shell, async (stored, changes) => {
        const isAudit = changes.some((change) => 'put' in change && change.put.key.pk.startsWith('audit'));
        if (isAudit && ++commits > survives) throw new Later('service.busy', 'died');
        await stored(changes);
      });
      const died = await follow(shell, dying).then(
        () => false,
        () => true,
      );
      await follow(shell);
      expect(await whole(shell)).toEqual(expected);
      if (!died) break;
      expect(survives).toBeLessThan(10);
    }
  });

  it('whose answers are lost, or that meets another consumer at the same chain, keeps everything once', async () => {
    const shell = await many();
    await follow(shell, losingAnswers(shell, 100));
    expect(await whole(shell)).toEqual(expected);
    const other = await many();
    const images = other.table.feed;
    const outran = outrun(other, () => onFeed(recorder).handle(images.slice(100), other), 1_000);
    await onFeed(recorder).handle(images.slice(0, 60), outran);
    await follow(other);
    expect((await whole(other)).toSorted()).toEqual(expected.toSorted());
    const links = await linksOf(other, 'default');
    const key = await other.auditKeys.current();
    expect(links.map(({ entry, previous }) => hashOf(previous, entry, key))).toEqual(links.map(({ hash }) => hash));
  });

  it('keeps a change of a row that had expired, and counts from its first revision again', async () => {
    const shell = aShell();
    await edit(shell, 'n1', { zone: 'default', weight: 1 });
    await follow(shell);
    const again = aShell({}, new Map([...shell.table.rows].filter(([, { key }]) => !key.pk.startsWith('node#'))));
    again.step(1_000);
    await edit(again, 'n1', { zone: 'default', weight: 1 });
    await follow(again);
    expect(await linksOf(again, 'default')).toHaveLength(2);
  });

  it('costs what the table of access patterns says', async () => {
    const shell = await many();
    await follow(shell, shell, 119);
    const { readUnits, writeUnits } = { ...shell.table.meter };
    await follow(shell, shell, 71);
    const E = 48;
    // The row of the journal has 11 KB.
    const journal = { reads: 2 + E + 1, writes: 2 * E + 2 + 2 * 11 };
    const known = { mark: 1 };
    expect(shell.table.meter.writeUnits - writeUnits).toBe(journal.writes + 5 * E + 2);
    expect(shell.table.meter.readUnits - readUnits).toBe(journal.reads + 1 + 2 * E + known.mark);
  });
});
