import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aStateFolder, type StateFolder } from '../../../support/a-state-file.ts';

const program = join(import.meta.dirname, '../../../support/commits-for-ever.ts');

let folder: StateFolder;
let child: ChildProcess;
beforeEach(() => {
  folder = aStateFolder();
  child = spawn(process.execPath, [program, folder.file], { stdio: ['ignore', 'pipe', 'inherit'] });
});
afterEach(() => {
  child.kill('SIGKILL');
  folder.remove();
});

describe('a process that commits and is killed', () => {
  test('has lost nothing that was answered, and left no half of a commit', async () => {
    const answered: string[] = [];
    for await (const name of createInterface({ input: child.stdout! })) {
      answered.push(name);
      if (answered.length === 400) child.kill('SIGKILL');
    }
    const { table, queue, feed } = folder.open();
    const inFeed = new Set((await feed.read('0', 100_000)).map(({ row }) => row.key.pk));
    const inQueue = new Set((await queue.receive('reports', 100_000, 1_000)).map(({ body }) => body));
    expect(answered.length).toBeGreaterThanOrEqual(400);
    expect(answered.filter((name) => !inFeed.has(name) || !inQueue.has(name))).toEqual([]);
    const pairs = await Promise.all(
      [...inFeed].map((pk) => table.readMany([pk, `${pk}-beside`].map((each) => ({ pk: each, sk: 'node' })))),
    );
    expect(pairs.filter(([row, beside]) => row?.rev !== 1 || beside?.rev !== 1)).toEqual([]);
  });

  test('holds its state file until then, and gives it up with its life', async () => {
    await once(child.stdout!, 'data');
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'state.locked' }));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await folder.open().feed.last()).not.toBe('0');
  });
});
