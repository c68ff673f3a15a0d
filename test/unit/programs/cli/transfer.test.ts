import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeFile } from '../../../../lib/ports/storage/whole-file.ts';
import { aRow } from '../../../../tools/support/a-row.ts';
import { ran } from './a-terminal.ts';

let folder: string;
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-export-'));
  const state = wholeFile(at('home/muster.db'));
  await state.storeRows([{ ...aRow({ pk: 'zone#default', sk: 'head', body: { epoch: 1 } }), rev: 4 }]);
  state.close();
  writeFileSync(at('home/deployment'), 'acme\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('export and import', () => {
  test.each([
    'export',
    'export FILE',
    'export FILE --home home --table t',
    'export FILE --home home --deployment acme',
    'export FILE --table t',
    'export FILE --table t --deployment a/b',
    'export FILE other --home home',
    'import',
    'import FILE',
    'import FILE --home fresh',
    'import FILE --home fresh --table t',
    'import FILE --home fresh --without-messages',
    'import FILE --home fresh --replace',
    'import FILE --home fresh --epoch',
  ])('`%s` makes no sense, and does nothing', async (line) => {
    const words = line.replace('FILE', at('none')).replace(/--home (\w+)/, (_, home) => `--home ${at(home)}`);
    expect(await ran(words)).toMatchObject({ out: '', err: expect.stringMatching(/./), code: 2 });
    expect([existsSync(at('none')), existsSync(at('fresh'))]).toEqual([false, false]);
  });

  test('a state folder becomes a file that only its owner may read, and a state folder again', async () => {
    const exported = await ran(`export ${at('file')} --home ${at('home')} --json`);
    expect(exported).toMatchObject({ err: '', code: 0 });
    expect(JSON.parse(exported.out)).toMatchObject({ deployment: 'acme', rows: 1, kinds: { zone: 1 }, at: '2026-05-01T12:00:00.000Z' });
    expect(statSync(at('file')).mode & 0o777).toBe(0o600);
    expect(await ran(`export ${at('file')} --home ${at('home')}`)).toMatchObject({
      err: expect.stringContaining('exists already'),
      code: 2,
    });

    expect(await ran(`import ${at('file')} --home ${at('second')}`)).toMatchObject({
      out: expect.stringContaining('acme'),
      err: '',
      code: 0,
    });
    expect(await ran(`import ${at('file')} --home ${at('second')}`)).toMatchObject({ err: expect.stringContaining('already'), code: 1 });
    expect(await ran(`import ${at('file')} --home ${at('second')} --replace other`)).toMatchObject({
      err: expect.stringContaining('called acme'),
      code: 2,
    });
    expect(await ran(`import ${at('file')} --home ${at('second')} --replace acme`)).toMatchObject({ err: '', code: 0 });
    expect([statSync(at('second')).mode & 0o777, statSync(at('second/muster.db')).mode & 0o777]).toEqual([0o700, 0o600]);
    const state = wholeFile(at('second/muster.db'));
    expect(await state.read({ pk: 'zone#default', sk: 'head' })).toMatchObject({ rev: 4, body: { epoch: 2 } });
    state.close();
  });

  test('a file that was cut makes nothing', async () => {
    writeFileSync(at('cut'), '{"muster":"export"');
    expect(await ran(`import ${at('cut')} --home ${at('third')}`)).toMatchObject({
      err: expect.stringContaining('cut or changed'),
      code: 1,
    });
    expect(existsSync(at('third'))).toBe(false);
  });

  test('what is no deployment is not exported, and what another process has can be tried again', async () => {
    expect(await ran(`export ${at('no')} --home ${at('nowhere')}`)).toMatchObject({
      err: expect.stringContaining('no deployment'),
      code: 1,
    });
    const state = wholeFile(at('home/muster.db'));
    expect(await ran(`export ${at('no')} --home ${at('home')}`)).toMatchObject({
      err: expect.stringContaining('another process'),
      code: 75,
    });
    state.close();
    expect([existsSync(at('no')), existsSync(at('nowhere'))]).toEqual([false, false]);
  });
});
