import { describe, expect, it } from 'vitest';
import { Later } from '../../../lib/core/errors.ts';
import { dayMs, minuteMs, plusMs } from '../../../lib/core/time.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { type Attempt, recordAttempt, recordedMax, sameEveryMs, sameMax } from '../../../lib/runtime/attempts.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { aShell, committing, type TestShell } from '../../../tools/support/a-shell.ts';

const refused: Attempt = {
  request: { id: 'call-1', source: '192.0.2.7' },
  route: { method: 'POST', path: '/nodes/join' },
  key: 'mjt-7',
  type: 'join-denied',
  detail: 'the token expired an hour ago',
};
const from = (source: string): Attempt => ({ ...refused, request: { ...refused.request, source } });
const attempts = ({ table }: TestShell): Row[] => [...table.rows.values()];

describe('a refused attempt', () => {
  it('is kept for a day with who tried, by which key, from where and the true reason, and goes on the feed', async () => {
    const shell = aShell({}, new Map());
    await recordAttempt(shell, { ...refused, subject: 'node node7.acme.org' });
    expect(attempts(shell)).toEqual([
      {
        key: { pk: 'attempt#id-1', sk: 'attempt' },
        body: { route: 'POST /nodes/join', subject: 'node node7.acme.org', type: 'join-denied' },
        at: noon,
        by: 'call-1',
        because: 'join-denied: the token expired an hour ago',
        actor: { who: 'anyone', key: 'mjt-7', source: '192.0.2.7', request: 'call-1' },
        events: [],
        eventSeq: 0,
        expiresAt: plusMs(noon, dayMs),
        rev: 1,
      },
    ]);
    expect(shell.table.feed).toHaveLength(1);
  });

  it('of somebody who is known is put down to them', async () => {
    const shell = aShell({}, new Map());
    const anna = { who: 'admin:anna', key: 'k1', source: 'elsewhere', request: 'call-0' };
    const { key: _none, ...without } = refused;
    await recordAttempt({ ...shell, actor: anna }, without);
    await recordAttempt(shell, { ...without, who: 'admin:ben' });
    expect(attempts(shell).map(({ actor }) => [actor?.who, actor?.key])).toEqual([
      ['admin:anna', 'k1'],
      ['admin:ben', undefined],
    ]);
  });

  it('that cannot be kept is logged, and stays refused', async () => {
    const shell = aShell({}, new Map());
    const away = committing(shell, async () => {
      throw new Later('service.busy', 'the table is away');
    });
    await recordAttempt(away, refused);
    expect(shell.logged).toEqual([
      { level: 'error', code: 'attempt.lost', fields: { id: 'call-1', type: 'join-denied', detail: 'the table is away' } },
    ]);
  });
});

describe('a flood of attempts', () => {
  it('of one source is kept up to a limit a minute, and the rest is counted', async () => {
    const shell = aShell({}, new Map());
    for (let n = 0; n < recordedMax.ofOneSource + 150; n++) await recordAttempt(shell, refused);
    expect(attempts(shell)).toHaveLength(recordedMax.ofOneSource);
    expect(shell.logged.map(({ code, fields }) => [code, fields['uncounted']])).toEqual([
      ['attempts.over', 1],
      ['attempts.over', 100],
    ]);
    shell.step(minuteMs);
    await recordAttempt(shell, refused);
    expect(attempts(shell)).toHaveLength(recordedMax.ofOneSource + 1);
  });

  it('of many sources is kept up to another', async () => {
    const shell = aShell({}, new Map());
    for (let n = 0; n < 2 * recordedMax.ofAll; n++) await recordAttempt(shell, from(`192.0.2.${n}`));
    expect(attempts(shell)).toHaveLength(recordedMax.ofAll);
  });

  it('of one network of IPv6 is of one source', async () => {
    const shell = aShell({}, new Map());
    for (let n = 0; n < 2 * recordedMax.ofOneSource; n++) await recordAttempt(shell, from(`2001:db8::${n}`));
    expect(attempts(shell)).toHaveLength(recordedMax.ofOneSource);
  });

  it('of strangers hides nothing that a known caller tries', async () => {
    const shell = aShell({}, new Map());
    for (let n = 0; n < 2 * recordedMax.ofAll; n++) await recordAttempt(shell, { ...from(`192.0.2.${n}`), who: 'anyone' });
    await recordAttempt(shell, { ...from('192.0.2.1'), who: 'key:0123456789ab', type: 'insufficient-scope' });
    expect(attempts(shell)).toHaveLength(recordedMax.ofAll + 1);
  });
});

describe('the same attempt again and again', () => {
  const same = (sameAs: string): Attempt => ({ ...refused, sameAs });

  it('is kept once an hour, and hides no other', async () => {
    const shell = aShell({}, new Map());
    for (let n = 0; n < 60; n++) {
      await recordAttempt(shell, same('a'));
      shell.step(sameEveryMs / 60);
    }
    expect(attempts(shell)).toHaveLength(1);
    await recordAttempt(shell, same('a'));
    await recordAttempt(shell, same('b'));
    await recordAttempt(shell, refused);
    expect(attempts(shell)).toHaveLength(4);
  });

  it('is kept when it could not be before', async () => {
    const shell = aShell({}, new Map());
    const away = committing(shell, async () => {
      throw new Later('service.busy', 'the table is away');
    });
    await recordAttempt(away, same('a'));
    await recordAttempt(shell, same('a'));
    expect(attempts(shell)).toHaveLength(1);
    for (let n = 0; n < recordedMax.ofOneSource; n++) await recordAttempt(shell, refused);
    const kept = attempts(shell).length;
    await recordAttempt(shell, same('over the limit'));
    expect(attempts(shell)).toHaveLength(kept);
    shell.step(minuteMs);
    await recordAttempt(shell, same('over the limit'));
    expect(attempts(shell)).toHaveLength(kept + 1);
  });

  it('is remembered for so many at a time, the first of which is forgotten first', async () => {
    const shell = aShell({}, new Map());
    for (let n = 0; n <= sameMax; n++) {
      await recordAttempt(shell, same(`${n}`));
      shell.step(1_100 * 6);
      await recordAttempt(shell, same(`${n}`));
    }
    const kept = attempts(shell).length;
    expect(kept).toBe(sameMax + 1);
    await recordAttempt(shell, same(`${sameMax}`));
    expect(attempts(shell)).toHaveLength(kept);
    await recordAttempt(shell, same('0'));
    expect(attempts(shell)).toHaveLength(kept + 1);
  });
});
