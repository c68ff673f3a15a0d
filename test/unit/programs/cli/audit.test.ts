import { describe, expect, it } from 'vitest';
import type { AuditView } from '../../../../lib/audit/routes.ts';
import { exitCodes } from '../../../../programs/cli/exit-codes.ts';
import { against } from './against.ts';
import type { Answers } from './fake-deployment.ts';

const hashOf = (text: string): string => text.padEnd(64, '0');
const anEntry = (n: number, more: Partial<AuditView> = {}): AuditView => ({
  n,
  at: `2026-05-01T10:0${n}:00.000Z`,
  zone: 'default',
  who: 'admin:anna',
  source: '192.0.2.7',
  request: `call-${n}`,
  did: 'changed',
  what: { noun: 'node', id: 'n0123456789abcdef', row: 'node', rev: n },
  because: 'an operator gives it up',
  fields: ['status'],
  previous: hashOf(String(n - 1)),
  hash: hashOf(String(n)),
  ...more,
});
const tried = anEntry(1, {
  zone: '-',
  who: 'anyone',
  did: 'tried',
  what: { noun: 'attempt', id: 'a1', row: 'attempt', rev: 1 },
  because: 'join-denied: the token was revoked',
  refused: { route: 'POST /nodes/join', type: 'join-denied', subject: `host a.acme.org ${'0123456789abcdef'.repeat(4)}` },
});
const entries = [tried, anEntry(1), anEntry(2), anEntry(3)];
/** Two entries at a page. */
const listAudit: Answers['listAudit'] = ({ query }) => {
  const at = Number((query as { cursor?: string }).cursor ?? 0);
  return { items: entries.slice(at, at + 2), ...(at + 2 < entries.length && { next: String(at + 2) }) };
};
const part = { ok: true, entries: 2, days: 1, faults: [], keptSince: '2025-03-27' };
const verifyAudit: Answers['verifyAudit'] = ({ query }) => ((query as { cursor?: string }).cursor ? part : { ...part, next: 'on' });

/** What `audit export` writes with this deployment. */
const exported = async (): Promise<string> => (await against({ listAudit }, 'audit export')).out;

/** A machine that has this file and no other. */
const holding = (text: string | undefined) => ({ read: (path: string) => (path === 'a.ndjson' ? text : undefined) });

describe('audit list', () => {
  it('shows who did and tried what', async () => {
    const { out, err, code } = await against({ listAudit }, 'audit list --from 2026-05-01');
    expect({ err, code }).toEqual({ err: '', code: exitCodes.done });
    expect(out.split('\n').slice(0, 3)).toEqual([
      'AT                    ZONE     N  WHO         SOURCE     DID      WHAT                                               BECAUSE',
      '2026-05-01T10:01:00Z  -        1  anyone      192.0.2.7  tried    POST /nodes/join host a.acme.org 0123456789abcdef  join-denied: the token was revoked',
      '2026-05-01T10:01:00Z  default  1  admin:anna  192.0.2.7  changed  node n0123456789abcdef                             an operator gives it up',
    ]);
  });

  it('asks for what it is told to ask for', async () => {
    const seen: unknown[] = [];
    const answers: Answers = {
      listAudit: ({ query }) => {
        seen.push(query);
        return { items: [] };
      },
    };
    const { err } = await against(answers, 'audit list --zone - --from 2026-04-28 --to 2026-05-01 --who key:ci --limit 7');
    const asked = { zone: '-', who: 'key:ci', limit: 200 };
    expect(seen).toEqual([
      { ...asked, from: '2026-05-01', to: '2026-05-01' },
      { ...asked, from: '2026-04-29', to: '2026-04-30' },
      { ...asked, from: '2026-04-28', to: '2026-04-28' },
    ]);
    expect(err).toBe('no entries in these days\n');
  });

  it('shows the newest where there are more than it is to show, whatever zone they are of', async () => {
    const answers: Answers = {
      listAudit: ({ query }) => {
        const { from, to } = query as { from: string; to?: string };
        // The newest days end where Muster is, whose clock may be ahead.
        if (from === '2026-05-01' && to === undefined) return { items: [anEntry(4, { zone: 'a' }), anEntry(2, { zone: 'b' })] };
        return { items: to === '2026-04-30' ? [anEntry(1)] : [] };
      },
    };
    const { out, err, routes } = await against(answers, 'audit list --limit 1 --json');
    expect((JSON.parse(out) as AuditView[]).map(({ n }) => n)).toEqual([4]);
    expect([err, routes.length]).toEqual(['there are older ones; --limit all shows them all\n', 1]);
    expect(JSON.parse((await against(answers, 'audit list --json')).out)).toMatchObject([{ n: 1 }, { n: 2 }, { n: 4 }]);
  });

  it('names what cannot be read by its place', async () => {
    const unreadable = [{ zone: 'default', day: '2026-05-01', n: 2 }];
    const named = 'zone default, 2026-05-01, n 2: cannot be read; audit verify says why\n';
    const some = await against({ listAudit: () => ({ items: entries.slice(0, 1), unreadable }) }, 'audit list --from 2026-05-01');
    expect({ code: some.code, err: some.err }).toEqual({ code: exitCodes.done, err: named });
    expect((await against({ listAudit: () => ({ items: [], unreadable }) }, 'audit list --from 2026-05-01')).err).toBe(named);
  });

  it.each(['audit list --from yesterday', 'audit list --zone Default', 'audit list --to 2026-02-30'])('refuses %s', async (line) => {
    expect(await against({}, line)).toMatchObject({ code: exitCodes.usage, routes: [] });
  });
});

describe('audit export', () => {
  it('writes every entry a line, and the head of each chain at the end', async () => {
    const lines = (await exported()).trim().split('\n');
    expect(lines.slice(0, 4).map((line) => JSON.parse(line) as AuditView)).toEqual(entries);
    expect(lines.slice(4).map((line) => JSON.parse(line) as object)).toEqual([
      { head: { zone: '-', day: '2026-05-01', n: 1, hash: hashOf('1') } },
      { head: { zone: 'default', day: '2026-05-01', n: 3, hash: hashOf('3') } },
    ]);
  });

  it('names what it cannot write', async () => {
    const unreadable = [{ zone: '-', day: '2026-05-01', n: 2 }];
    const { out, err, code } = await against({ listAudit: () => ({ items: entries.slice(0, 1), unreadable }) }, 'audit export');
    expect(out.trim().split('\n')).toHaveLength(2);
    expect({ code, err }).toEqual({
      code: exitCodes.done,
      err: 'zone -, 2026-05-01, n 2: cannot be read; audit verify says why\n1 chain\n',
    });
  });

  it('writes the heads alone when asked', async () => {
    const { out, err } = await against({ listAudit }, 'audit export --heads');
    expect(out.trim().split('\n')).toHaveLength(2);
    expect(err).toBe('2 chains\n');
  });
});

describe('audit verify', () => {
  it('asks part by part, says how much that was, and exits with 0', async () => {
    expect(await against({ verifyAudit }, 'audit verify')).toEqual({
      out: '',
      err: '4 entries in 2 chains: unchanged\n',
      code: exitCodes.done,
      routes: ['verifyAudit', 'verifyAudit'],
    });
  });

  it('shows what was tampered with, and exits with 1', async () => {
    const faults = [{ zone: 'default', day: '2026-05-01', n: 2, what: 'was changed: its hash does not match' }];
    const { out, err, code } = await against({ verifyAudit: () => ({ ...part, ok: false, faults }) }, 'audit verify');
    expect(code).toBe(exitCodes.failed);
    expect(out.split('\n')[1]).toBe('2026-05-01  default  2  was changed: its hash does not match');
    expect(err).toMatch(/^2 entries in 1 chain\nmuster: the audit was tampered with, in 1 place\./);
  });

  it('finds nothing against what was exported and is still so', async () => {
    const file = await exported();
    const { err, code } = await against({ verifyAudit, listAudit }, 'audit verify --against a.ndjson', holding(file));
    expect({ err, code }).toEqual({ err: '4 entries in 2 chains, 4 compared with the export: unchanged\n', code: exitCodes.done });
  });

  it.each([
    ['was written anew, all of it', (all: AuditView[]) => all.map((one) => ({ ...one, hash: hashOf(`f${one.n}`) })), 4],
    ['was cut off at its end', (all: AuditView[]) => all.slice(0, -1), 1],
    ['is gone', () => [], 4],
  ])('finds by an export that the audit %s', async (_what, tampered, faults) => {
    const file = await exported();
    const answers: Answers = { verifyAudit, listAudit: () => ({ items: tampered(entries) }) };
    const { out, code } = await against(answers, 'audit verify --against a.ndjson --json', holding(file));
    expect((JSON.parse(out) as { faults: object[] }).faults).toHaveLength(faults);
    expect(code).toBe(exitCodes.failed);
  });

  it('finds by heads alone what they pin, and takes nothing for gone that is kept no longer', async () => {
    const heads = (await against({ listAudit }, 'audit export --heads')).out;
    const gone: Answers = { verifyAudit, listAudit: () => ({ items: [] }) };
    expect(await against(gone, 'audit verify --against a.ndjson', holding(heads))).toMatchObject({ code: exitCodes.failed });
    const later: Answers = { ...gone, verifyAudit: () => ({ ...part, keptSince: '2026-05-02' }) };
    expect(await against(later, 'audit verify --against a.ndjson', holding(heads))).toMatchObject({ code: exitCodes.done });
  });

  it.each([
    ['is not there', undefined, exitCodes.usage],
    ['is empty', '\n', exitCodes.usage],
    ['is something else', 'zone,day,n\n', exitCodes.usage],
    ['contradicts itself', `${JSON.stringify(anEntry(1))}\n${JSON.stringify({ ...anEntry(1), hash: hashOf('e') })}\n`, exitCodes.failed],
  ])('refuses a file that %s', async (_what, text, code) => {
    expect(await against({}, 'audit verify --against a.ndjson', holding(text))).toMatchObject({ code, routes: [] });
  });
});
