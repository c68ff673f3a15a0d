import { beforeEach, describe, expect, it } from 'vitest';
import { nonceForMs, useNonce } from '../../../lib/access/nonce.ts';
import type { Refusal } from '../../../lib/api/problem.ts';
import { Conflict, Later } from '../../../lib/core/errors.ts';
import { secondMs } from '../../../lib/core/time.ts';
import { aShell, committing, losingAnswers, type TestShell } from '../../../tools/support/a-shell.ts';
import { fpOf } from '../../../tools/support/builders.ts';

let shell: TestShell;
beforeEach(() => {
  shell = aShell();
});
const [web1, web2] = [fpOf('web1'), fpOf('web2')];
const nonce = 'nonce-0123456789';
const use = (fp: string, which = nonce, on: TestShell = shell): Promise<string> =>
  useNonce(on, fp, which).then(
    () => 'used',
    (error: Refusal) => error.type,
  );

describe('a nonce', () => {
  it('is used once', async () => {
    expect(await use(web1)).toBe('used');
    expect(await use(web1)).toBe('nonce-reused');
  });
  it('is of one key alone, and of one call', async () => {
    await use(web1);
    expect(await use(web2)).toBe('used');
    expect(await use(web1, 'nonce-9876543210')).toBe('used');
  });
  it('stays used for as long as its signature is taken, and no longer', async () => {
    await use(web1);
    shell.step(nonceForMs - secondMs);
    expect(await use(web1)).toBe('nonce-reused');
    shell.step(secondMs);
    expect(await use(web1)).toBe('used');
    expect(await use(web1)).toBe('nonce-reused');
  });
  it('is used by one of two that race', async () => {
    expect((await Promise.all([use(web1), use(web1)])).sort()).toEqual(['nonce-reused', 'used']);
  });
  it('is used by one of two that race for it after it has ended', async () => {
    await use(web1);
    shell.step(nonceForMs);
    expect((await Promise.all([use(web1), use(web1)])).sort()).toEqual(['nonce-reused', 'used']);
  });
  it('is ours when only the answer of the table was lost', async () => {
    expect(await use(web1, nonce, losingAnswers(shell))).toBe('used');
    expect(await use(web1)).toBe('nonce-reused');
  });
  it('is ours when only that answer was lost over one that had ended', async () => {
    await use(web1);
    shell.step(nonceForMs);
    let commits = 0;
    const losing = committing(shell, async (stored, changes) => {
      commits += 1;
      await stored(changes);
      // What the SDK sends again after a lost answer meets its own commit.
      if (commits === 2) await stored(changes);
    });
    expect(await use(web1, nonce, losing)).toBe('used');
  });
  it('costs one write, and reads nothing', async () => {
    await use(web1);
    expect(shell.table.meter).toMatchObject({ readUnits: 0, rowsWritten: 1 });
  });
  it('is given up when the table only ever says that somebody else was first', async () => {
    const busy = committing(shell, async () => {
      throw new Conflict('a row', 'a transaction is under way');
    });
    await expect(useNonce(busy, web1, nonce)).rejects.toBeInstanceOf(Later);
  });
});
