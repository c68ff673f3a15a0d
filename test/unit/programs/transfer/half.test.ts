import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { wholeFile } from '../../../../lib/ports/storage/whole-file.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import { markerKey } from '../../../../programs/transfer/marker.ts';
import { aRow } from '../../../../tools/support/a-row.ts';
import { aHost } from '../../../../tools/support/host.ts';
import { wholeMemory } from '../../../support/whole-memory.ts';
import { aFolder, exported, imported } from './a-transfer.ts';

const folder = aFolder();
afterAll(() => folder.remove());

test('a folder whose import was broken off before it had its name starts no host, and is whole after the same import', async () => {
  const home = folder.newFile('home');
  const file = folder.newFile();
  const row: Row = { ...aRow({ pk: 'fqdn#node1.acme.org', sk: 'fqdn' }), rev: 3 };
  await exported(wholeMemory([row]), file);
  const nameless = () => {
    throw new Error('the disk is full');
  };
  const half = wholeFile(join(home, 'muster.db'));
  await expect(imported(file, half, { keepName: nameless })).rejects.toThrow('the disk is full');
  half.close();

  await expect(aHost({ home })).rejects.toMatchObject({ code: 'import.unfinished' });
  const again = wholeFile(join(home, 'muster.db'));
  await imported(file, again);
  expect([await again.read(markerKey), await again.read(row.key)]).toEqual([undefined, row]);
  again.close();
  const host = await aHost({ home });
  expect(await host.shell.table.read(row.key)).toEqual(row);
  await host.stop();
});
