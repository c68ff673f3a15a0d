import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MusterError } from '../../../../lib/core/errors.ts';
import { wholeFile } from '../../../../lib/ports/storage/whole-file.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import { readExport } from '../../../../programs/transfer/read.ts';
import { aRow } from '../../../../tools/support/a-row.ts';
import { wholeMemory } from '../../../support/whole-memory.ts';
import { aFolder, exported, imported } from './a-transfer.ts';

const folder = aFolder();
const file = folder.newFile();
let bytes: Buffer;
beforeAll(async () => {
  bytes = await exported(
    wholeMemory([1, 2, 3, 4].map((n): Row => ({ ...aRow({ pk: `node#n${n}`, body: { n, é: '😀' } }), rev: n }))),
    file,
  );
});
afterAll(() => folder.remove());

const refused = async (damaged: Uint8Array): Promise<void> => {
  const path = folder.newFile();
  writeFileSync(path, damaged);
  await expect(readExport(path)).rejects.toBeInstanceOf(MusterError);
};

describe('a file of an export', () => {
  test('is read when it is whole', async () => {
    expect((await readExport(file)).header).toMatchObject({ deployment: 'acme', rows: 4, images: 0, messages: 0 });
  });

  test('is refused wherever it is cut', async () => {
    for (let at = 0; at < bytes.length; at += 10) await refused(bytes.subarray(0, at));
    await refused(bytes.subarray(0, bytes.length - 1));
  });

  test(
    'is refused with any byte changed, added or taken away',
    () =>
      fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
          const changed = Buffer.from(bytes);
          changed[at]! ^= flip;
          await refused(changed);
          await refused(Buffer.concat([bytes.subarray(0, at), Buffer.from([flip]), bytes.subarray(at)]));
          await refused(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]));
        }),
        { numRuns: 150 },
      ),
    60_000,
  );

  test('is refused with a line taken out, put twice, or behind its end', async () => {
    const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
    await refused(Buffer.from([...lines.slice(0, 2), ...lines.slice(3)].join('')));
    await refused(Buffer.from([...lines.slice(0, 2), ...lines.slice(1)].join('')));
    await refused(Buffer.from([...lines, lines.at(-1)].join('')));
  });

  test('is refused before anything of the target is touched', async () => {
    const cut = folder.newFile();
    writeFileSync(cut, bytes.subarray(0, bytes.length - 20));
    const target = wholeFile(folder.newFile('muster.db'));
    await target.storeRows([{ ...aRow({ pk: 'zone#old' }), rev: 1 }]);
    await expect(imported(cut, target, { replaces: true })).rejects.toMatchObject({ code: 'export.damaged' });
    expect(await target.contents()).toMatchObject({ kinds: { zone: 1 } });
    target.close();
  });

  test('of a later version is told from one that is none', async () => {
    const later = folder.newFile();
    writeFileSync(later, bytes.toString().replace('"version":1', '"version":2'));
    await expect(readExport(later)).rejects.toMatchObject({ code: 'export.newer' });
  });
});
