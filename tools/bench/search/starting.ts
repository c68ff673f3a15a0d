import { join } from 'node:path';
import { recorder } from '../../../lib/journal/changes.ts';
import { folderObjects } from '../../../lib/ports/objects/folder.ts';
import type { Objects } from '../../../lib/ports/objects/objects.ts';
import { openStorage } from '../../../lib/ports/storage/storage.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { onFeed } from '../../../lib/runtime/on-feed.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { fleetOf } from '../../../lib/search/reads/fleet.ts';
import { storeIndex } from '../../../lib/search/tick.ts';
import { aShell } from '../../support/a-shell.ts';
import type { Figure } from '../report/figure.ts';
import { median, spread } from '../rounds.ts';
import { clientAt } from '../scale/seed.ts';
import { seedHome } from '../sites/seeded-home.ts';

const clients = 100_000;
const rounds = 3;
const shareTarget = { atLeast: 10 };

/** What an environment needs until it can search, on a state file: from stored segments and from rows, in turns. */
export async function starting(folder: string): Promise<Figure[]> {
  const home = join(folder, 'starting');
  await seedHome(home, { clients, nodes: 50 });
  const { now, ...rest } = aShell();
  const storage = openStorage({ file: join(home, 'muster.db'), now, defer: (run) => void setImmediate(run) });
  const anEnvironment = (objects?: Objects): Shell => {
    const { objects: _, ...shell } = { ...rest, now, table: storage.table, caches: new Map() };
    return { ...shell, ...(objects && { objects }) };
  };
  const objects = folderObjects(join(home, 'objects'));
  await nameOne(anEnvironment());
  const storing = anEnvironment(objects);
  await fleetOf(storing);
  const [storedIn] = await timed(() => storeIndex(storing));
  const [stored, rows]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    stored.push(await begun(anEnvironment(objects)));
    rows.push(await begun(anEnvironment()));
  }
  storage.close();
  const times = rows.map((ms, round) => ms / stored[round]!);
  const ofAll = `${clients.toLocaleString('en-US')} client systems on a state file; processor time`;
  const whole = (ms: number): string => ms.toFixed(0);
  return [
    { what: 'a start from stored segments', measured: median(stored), unit: 'ms', note: `${ofAll}, ${spread(stored, whole)}` },
    { what: 'a start that reads every row', measured: median(rows), unit: 'ms', note: spread(rows, whole) },
    {
      what: 'stored segments beside every row',
      measured: median(times),
      unit: '×',
      target: shareTarget,
      note: spread(times, (one) => one.toFixed(1)),
    },
    { what: 'the index merged and stored', measured: storedIn, unit: 'ms', note: 'once, in steps' },
  ];
}

/** An index without any place in a journal is not stored: a journal names one of them. */
async function nameOne(shell: Shell): Promise<void> {
  const row = await shell.table.read(keyOf({ noun: 'client', id: clientAt(0) }));
  if (row) await onFeed(recorder).handle([{ offset: '1', row }], shell);
}

async function begun(shell: Shell): Promise<number> {
  const [ms, { parts }] = await timed(() => fleetOf(shell));
  const systems = [...parts.values()].reduce((sum, { size }) => sum + size, 0);
  if (systems !== clients) throw new Error(`the index has ${systems} client systems, and there are ${clients}`);
  return ms;
}

/** Milliseconds of processor time of some work, and what it gave. */
async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1_000, result];
}
