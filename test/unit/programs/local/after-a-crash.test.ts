import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noon } from '../../../../tools/support/a-row.ts';
import { aStateFolder, type StateFolder } from '../../../support/a-state-file.ts';

let folder: StateFolder;
beforeEach(() => {
  folder = aStateFolder();
});
afterEach(() => folder.remove());

describe('a message that a host had taken when it died', () => {
  it('is there for the next one at once, in its old place, and the delayed ones wait on', async () => {
    const before = folder.open();
    await before.queue.send('reports', 'taken');
    await before.queue.send('reports', 'waiting');
    await before.queue.send('reports', 'delayed', { delayMs: 5_000 });
    expect(await before.queue.receive('reports', 1, 120_000)).toMatchObject([{ body: 'taken', receives: 1 }]);
    before.close();

    const { queue } = folder.open({ now: () => noon });
    expect(await queue.receive('reports', 10, 120_000)).toMatchObject([
      { body: 'taken', receives: 2 },
      { body: 'waiting', receives: 1 },
    ]);
  });
});
