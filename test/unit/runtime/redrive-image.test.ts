import { beforeEach, describe, expect, it } from 'vitest';
import { Later, Poison } from '../../../lib/core/errors.ts';
import { recorder } from '../../../lib/journal/changes.ts';
import type { JournalRow } from '../../../lib/journal/journal.ts';
import type { Bus } from '../../../lib/ports/bus/bus.ts';
import { historyPartition, journalAfter, journalPartition } from '../../../lib/ports/table/keys.ts';
import { readDeadLetter } from '../../../lib/runtime/dead.ts';
import { onFeed } from '../../../lib/runtime/on-feed.ts';
import { redrive } from '../../../lib/runtime/redrive.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { anEvent, aRow, noon, put } from '../../../tools/support/a-row.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';

let shell: TestShell;
const actor = { who: 'admin:anna', source: '192.0.2.7', request: 'call-1' };
const givenBack = (id: string, by: Shell) => redrive({ ...by, actor }, id, { by: 'call-1', again: false });
const codes = () => shell.logged.map(({ code }) => code);

describe('an image that could not go out', () => {
  let picky = true;
  const bus = (): Bus => ({
    publish: async (events) => {
      if (picky) throw new Poison('bus.too-large', 'an event is too large');
      await shell.bus.publish(events);
    },
  });
  const id = 'node#n1#node@1';
  beforeEach(async () => {
    shell = aShell();
    picky = true;
    await shell.table.commit([
      put(aRow({ body: { zone: 'east' }, events: [anEvent(1), anEvent(2)], eventSeq: 2, because: 'first node-up', by: 'up-1' })),
    ]);
    await onFeed(recorder).handle(shell.table.feed.slice(-1), { ...shell, bus: bus() });
    shell.step(60_000);
  });
  const history = async () => (await shell.table.query({ pk: historyPartition({ noun: 'node', id: 'n1' }), limit: 10 })).items;

  it('goes out as the feed would have had it, and into the history, with its own time, reason and numbers', async () => {
    picky = false;
    expect(await givenBack(id, { ...shell, bus: bus() })).toEqual({ done: true, because: 'its events were published, attempt 1' });

    const time = new Date(noon).toISOString();
    expect(shell.bus.published.map((event) => [event.id, event.time])).toEqual([
      ['node/n1#1', time],
      ['node/n1#2', time],
    ]);
    // The function that gives it back may write no history: the feed sees to that.
    expect(await history()).toEqual([]);
    const image = shell.table.feed.slice(-1);
    await onFeed(recorder).handle(image, shell);
    await onFeed(recorder).handle(image, shell);
    expect(shell.bus.published).toHaveLength(2);
    expect((await history()).map(({ body }) => body)).toEqual(
      [1, 2].map((seq) => ({ ...anEvent(seq), seq, at: noon, because: 'first node-up', by: 'up-1' })),
    );
    const { items } = await shell.table.query({ pk: journalPartition('east'), ...journalAfter(0), limit: 10 });
    expect(items.map(({ body }) => (body as JournalRow).events.map(({ id: event }) => event))).toEqual([['node/n1#1', 'node/n1#2']]);
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'redriven', queue: 'feed' });
  });

  it('and cannot now either, has died again', async () => {
    expect(await givenBack(id, { ...shell, bus: bus() })).toEqual({
      done: false,
      because: 'it cannot be given back: an event is too large',
    });
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead', deaths: 2, died: 1 });
    expect(codes().at(-1)).toBe('report.dead');
  });

  it('stays dead while the bus is busy', async () => {
    const busy: Bus = {
      publish: async () => {
        throw new Later('bus.refused', 'the bus did not accept all');
      },
    };
    await expect(givenBack(id, { ...shell, bus: busy })).rejects.toThrow('did not accept');
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead', deaths: 1 });
  });
});
