import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderAt } from '../../lib/machine/folder.ts';
import { wholeFile } from '../../lib/ports/storage/whole-file.ts';
import { dynamoTable } from '../../lib/ports/table/dynamo.ts';
import { dynamoWhole } from '../../lib/ports/table/dynamo-whole.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { refuseMoving } from '../../programs/transfer/places.ts';
import { anEvent, aRow, put } from '../../tools/support/a-row.ts';
import { type Dynoxide, dynoxideIsInstalled, startDynoxide } from '../support/dynoxide.ts';
import { aProgram } from '../support/program.ts';

describe.skipIf(!dynoxideIsInstalled)('a deployment on AWS, its table as dynoxide emulates it', () => {
  let dynoxide: Dynoxide;
  let folder: string;
  let table: string;
  const at = (name: string): string => join(folder, name);
  beforeAll(async () => {
    dynoxide = await startDynoxide();
    table = await dynoxide.createTable();
    folder = mkdtempSync(join(tmpdir(), 'muster-table-'));
  });
  afterAll(async () => {
    await dynoxide.stop();
    rmSync(folder, { recursive: true });
  });
  const muster = async (...args: string[]): Promise<{ code: number | string; said: string }> => {
    const { hostname, port, protocol } = await dynoxide.client.config.endpoint!();
    const program = aProgram('programs/cli/main.ts', args, {
      AWS_ENDPOINT_URL_DYNAMODB: `${protocol}//${hostname}:${port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
    });
    return { code: await program.ended, said: program.said() };
  };
  const entriesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(1, -2);

  it('is imported from an embedded one, and exported as the same again, and embedded again', async () => {
    const rows = Array.from(
      { length: 300 },
      (_, n): Row => ({ ...aRow({ pk: `client#${n}`, sk: 'client', events: [anEvent(n + 1)], eventSeq: n + 1 }), rev: n + 1 }),
    );
    const state = wholeFile(at('home/muster.db'));
    await state.storeRows(rows);
    state.close();
    folderAt(at('home')).write('deployment', 'local-1f2e3d4c\n');

    expect(await muster('export', at('first'), '--home', at('home'))).toMatchObject({ code: 0 });
    const imported = await muster('import', at('first'), '--table', table, '--same-epoch');
    expect(imported).toMatchObject({ code: 0, said: expect.stringContaining('Machines sign for local-1f2e3d4c') });
    expect(await muster('export', at('second'), '--table', table, '--deployment', 'local-1f2e3d4c')).toMatchObject({ code: 0 });
    expect(entriesOf(at('second'))).toEqual(entriesOf(at('first')));
    expect(entriesOf(at('second')).length).toBe(300);
    expect(readdirSync(folder).filter((name) => name.startsWith('.muster-export-'))).toEqual([]);

    expect(await muster('import', at('second'), '--home', at('again'), '--same-epoch')).toMatchObject({ code: 0 });
    expect(await muster('export', at('third'), '--home', at('again'))).toMatchObject({ code: 0 });
    expect(entriesOf(at('third'))).toEqual(entriesOf(at('first')));
  }, 120_000);

  it('says what is wrong when there is no such table, or when it holds a deployment already', async () => {
    expect(await muster('export', at('none'), '--table', 'nowhere', '--deployment', 'a')).toMatchObject({
      code: 1,
      said: expect.stringContaining('ResourceNotFoundException'),
    });
    expect(await muster('import', at('first'), '--table', table)).toMatchObject({
      code: 1,
      said: expect.stringContaining('holds a deployment already'),
    });
    expect(await muster('import', at('first'), '--table', table, '--replace', 'Muster')).toMatchObject({ code: 2 });
  }, 60_000);

  it('is not exported when a row was written while it was read', async () => {
    const tableName = await dynoxide.createTable();
    const target = { client: dynoxide.client, tableName, sleep: (ms: number) => sleep(ms) };
    const [whole, written] = [dynamoWhole(target), dynamoTable(target)];
    await written.commit([put(aRow({ pk: 'node#n1' }))]);
    const staged = wholeFile(at('staged/muster.db'));
    for await (const row of whole.scan()) await staged.storeRows([row]);
    await refuseMoving(whole, staged);
    await written.commit([put(aRow({ pk: 'node#n1' }), 1)]);
    await expect(refuseMoving(whole, staged)).rejects.toMatchObject({ code: 'export.moving' });
    staged.close();
  });
});
