import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { target } from '../../../../programs/transfer/places.ts';
import { noon } from '../../../../tools/support/a-row.ts';

it('a state folder that is imported into has no index of what it held before', () => {
  const home = mkdtempSync(join(tmpdir(), 'muster-into-'));
  mkdirSync(join(home, 'objects'), { mode: 0o700 });
  writeFileSync(join(home, 'objects', 'index'), '');
  const into = target({ home }, { now: () => noon, sleep: async () => undefined });
  expect(existsSync(join(home, 'objects'))).toBe(false);
  into.target.close();
  rmSync(home, { recursive: true });
});
