import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attributesOf } from '../../lib/ports/table/attributes.ts';
import { marshal } from '../../lib/ports/table/codec.ts';
import type { Change } from '../../lib/ports/table/table.ts';
import { type Dynoxide, dynoxideIsInstalled, startDynoxide } from '../support/dynoxide.ts';
import { refusals } from './table/limits.ts';

/** The emulator does not look at the size of index keys; the service does. */
const emulated = refusals.filter(({ what }) => !what.startsWith('a list key too long') && !what.startsWith('an edge key too long'));

describe.skipIf(!dynoxideIsInstalled)('DynamoDB, as dynoxide emulates it', () => {
  let dynoxide: Dynoxide;
  let tableName: string;
  beforeAll(async () => {
    dynoxide = await startDynoxide();
    tableName = await dynoxide.createTable();
  });
  afterAll(() => dynoxide.stop());

  const send = (changes: readonly Change[]) => {
    const TransactItems = changes.map((change) =>
      'put' in change
        ? { Put: { TableName: tableName, Item: marshal(attributesOf(change.put, 1)) } }
        : { ConditionCheck: { TableName: tableName, Key: marshal(change.check), ConditionExpression: 'attribute_not_exists(pk)' } },
    );
    return dynoxide.client.send(new TransactWriteItemsCommand({ TransactItems }));
  };

  // Our tables refuse these before they ask; this is why.
  test.each(emulated)('refuses $what itself', async ({ changes }) => {
    await expect(send(changes())).rejects.toMatchObject({ $fault: 'client' });
  });
});

describe.skipIf(!dynoxideIsInstalled)('the emulator that a test starts', () => {
  const program = `
    const { startDynoxide } = await import(process.argv[1]);
    const { client } = await startDynoxide();
    console.log((await client.config.endpoint()).port);
    setInterval(() => {}, 1_000);`;

  test('ends with the process that started it, also when that is killed', async () => {
    const support = join(import.meta.dirname, '../support/dynoxide.ts');
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, support], { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = Number(String((await once(child.stdout, 'data'))[0]));
    expect(await answers(port)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    // Its end takes a moment more; the test's own time limit ends the wait when it does not come.
    while (await answers(port)) await new Promise(setImmediate);
  });
});

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
