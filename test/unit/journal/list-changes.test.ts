import { beforeEach, describe, expect, it, vi } from 'vitest';
import publish from '../../../functions/publish.ts';
import { Fingerprint, ZoneName } from '../../../lib/core/ids.ts';
import { dayMs, hourMs, minuteMs } from '../../../lib/core/time.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import { anEvent, aRow, put } from '../../../tools/support/a-row.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { adminCall } from '../../../tools/support/admin-call.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { aKey, showing } from '../../support/callers.ts';

let shell: TestShell;
let published = 0;
beforeEach(() => {
  shell = aShell({ deployment: 'acme' });
  published = 0;
});

type Page = { items: { id: string; type: string; data: object }[]; next: string; more: boolean };
type Headers = Readonly<Record<string, string>>;
const asked = (query: string, headers: Headers = asOperator) => adminCall(shell, `changes?${query}`, headers);
const changes = async (query = '', headers: Headers = asOperator): Promise<Page> => {
  const { status, body } = await asked(query, headers);
  expect(status).toBe(200);
  return body as unknown as Page;
};
const ids = ({ items }: Page): string[] => items.map(({ id }) => id);
const behind = ({ next }: Page, more = ''): string => `after=${next}${more}`;

type Thing = Parameters<typeof aRow>[0];
/** Commits an event of a thing. */
const commits = async (thing: Thing, type = 'node.joined', data: object = {}): Promise<void> => {
  const { key } = aRow(thing);
  const { rev = 0, eventSeq = 0 } = shell.table.rows.get(nameOf(key)) ?? {};
  const event = { ...anEvent(eventSeq + 1), type, data };
  await shell.table.commit([put(aRow({ at: shell.now(), ...thing, events: [event], eventSeq: eventSeq + 1 }), rev)]);
};
const publishes = async (): Promise<void> => {
  await publish.handle(shell.table.feed.slice(published), shell);
  published = shell.table.feed.length;
};
/** Commits an event of a thing, and publishes it. */
const told = async (...event: Parameters<typeof commits>): Promise<void> => {
  await commits(...event);
  await publishes();
};
const node = (id: string, zone: string, type?: string) => told({ pk: `node#${id}`, body: { zone } }, type);
const limitedTo = async (...zones: string[]) =>
  showing(
    (
      await aKey(
        shell,
        rightsOf(
          ['read'],
          zones.map((zone) => ZoneName.parse(zone)),
        ),
      )
    ).text,
  );

describe('changes', () => {
  it('begin now, and go on from each answer', async () => {
    await node('a', 'east');
    const now = await changes();
    expect(now).toMatchObject({ items: [], more: false });
    await node('a', 'east');
    await node('b', 'west');
    const news = await changes(behind(now));
    expect(ids(news)).toEqual(['node/a#2', 'node/b#1']);
    expect(ids(await changes(behind(news)))).toEqual([]);
    expect(ids(await changes(behind(now)))).toEqual(ids(news));
  });

  it('are the envelopes as they went out', async () => {
    const now = await changes();
    await node('a', 'east');
    expect((await changes(behind(now))).items).toEqual(shell.bus.published);
  });

  it('come in pages, of which the last says that there is no more', async () => {
    const now = await changes();
    for (let n = 0; n < 5; n++) {
      await node(`n${n}`, n % 2 === 0 ? 'east' : 'west');
      shell.step(1);
    }
    const pages = [await changes(behind(now, '&limit=2'))];
    while (pages.at(-1)!.more) pages.push(await changes(behind(pages.at(-1)!, '&limit=2')));
    expect(pages.map(ids)).toEqual([['node/n0#1', 'node/n1#1'], ['node/n2#1', 'node/n3#1'], ['node/n4#1']]);
  });

  it('are of the types that are asked for, or that begin so', async () => {
    const now = await changes();
    await node('a', 'east', 'node.joined');
    await node('a', 'east', 'node.lost');
    await told({ pk: 'zone#east', sk: 'head' }, 'zone.calm');
    const lost = await changes(behind(now, '&type=node.lost,zone.'));
    expect(ids(lost)).toEqual(['node/a#2', 'zone/east#1']);
    expect(ids(await changes(behind(lost)))).toEqual([]);
  });

  it('are of the zones that are named, and have those of a zone that was created since', async () => {
    const now = await changes();
    await node('a', 'east');
    await node('b', 'west');
    expect(ids(await changes(behind(now, '&zones=west')))).toEqual(['node/b#1']);
    expect((await asked('zones=nowhere')).problem).toBe('unknown-zone');
  });

  it('have those of a zone that is not there any more', async () => {
    await told({ pk: 'zone#east', sk: 'head' }, 'zone.created');
    const now = await changes('zones=east');
    await told({ pk: 'zone#east', sk: 'head', gone: true }, 'zone.deleted');
    expect(ids(await changes(behind(now, '&zones=east')))).toEqual(['zone/east#2']);
  });

  it('of a part of a day are had by their moment', async () => {
    for (let n = 0; n < 40; n++) {
      await node('a', 'east');
      shell.step(minuteMs);
    }
    const since = (minutes: number) => changes(`since=${new Date(shell.now() - minutes * minuteMs).toISOString()}&limit=200`);
    expect(ids(await since(3))).toEqual(['node/a#38', 'node/a#39', 'node/a#40']);
    for (const minutes of [0, 1, 17, 39, 40, 600]) expect(ids(await since(minutes))).toHaveLength(Math.min(40, minutes));
  });

  it('refuse what cannot be', async () => {
    const now = await changes();
    const since = new Date(shell.now()).toISOString();
    expect((await asked(`${behind(now)}&since=${since}`)).problem).toBe('invalid');
    expect((await asked('after=nonsense')).problem).toBe('bad-cursor');
    expect((await asked('zones=East')).problem).toBe('invalid');
  });
});

describe('a reader that comes too late', () => {
  it('is told so a day later, and not before', async () => {
    await node('a', 'east');
    const now = await changes();
    await node('a', 'east');
    shell.step(24 * hourMs);
    expect(ids(await changes(behind(now)))).toEqual(['node/a#2']);
    shell.step(1);
    expect(await asked(behind(now))).toMatchObject({ status: 410, problem: 'changes-expired' });
    expect(await asked(`since=${new Date(shell.now() - 25 * hourMs).toISOString()}`)).toMatchObject({ status: 410 });
  });

  it('is told so by the gap where it reads more slowly than rows end', async () => {
    let page = await changes();
    for (let n = 0; n < 3; n++) {
      await node('a', 'east');
      await node('a', 'east');
      page = await changes(behind(page, '&limit=1'));
      shell.step(20 * hourMs);
      await shell.table.removeExpired(shell.now(), 100);
      if (n < 2) continue;
      expect(await asked(behind(page))).toMatchObject({ status: 410, problem: 'changes-expired' });
    }
  });

  it('has missed nothing where nothing happened', async () => {
    await node('a', 'east');
    let now = await changes();
    for (let hours = 0; hours < 80; hours += 20) {
      shell.step(20 * hourMs);
      await shell.table.removeExpired(shell.now(), 100);
      now = await changes(behind(now));
      expect(now.items).toEqual([]);
    }
    await node('a', 'east');
    expect(ids(await changes(behind(now)))).toEqual(['node/a#2']);
  });
});

describe('a caller that is limited to zones', () => {
  it('has the events of these alone, and no gap or cursor tells of others', async () => {
    const east = await limitedTo('east');
    const now = await changes('', east);
    await node('b', 'west');
    await told({ pk: 'deployment', sk: 'deployment' });
    const nothing = await changes(behind(now), east);
    expect(nothing).toMatchObject({ items: [], more: false });
    expect(nothing.next).toBe(now.next);
    await node('a', 'east');
    expect(ids(await changes(behind(nothing), east))).toEqual(['node/a#1']);
  });

  it('cannot name another zone, whether or not it exists, nor what is of none', async () => {
    const east = await limitedTo('east');
    await node('b', 'west');
    const answers = await Promise.all(['west', 'nowhere', '-'].map((zone) => asked(`zones=${zone}`, east)));
    expect(answers.map(({ status, problem }) => [status, problem])).toEqual(answers.map(() => [404, 'unknown-zone']));
  });

  it('reads nothing of others with the cursor of somebody who sees all', async () => {
    const everything = await changes();
    await node('a', 'east');
    await node('b', 'west');
    expect(ids(await changes(behind(everything), await limitedTo('east')))).toEqual(['node/a#1']);
  });

  it('does not learn which keys of other zones share a machine id', async () => {
    const fp = Fingerprint.parse('a'.repeat(64));
    const now = await changes();
    const data = { system: fp, fqdn: 'web1.acme.org', machineId: 'm', others: ['b'.repeat(64)], held: true };
    await told({ pk: `client#${fp}`, sk: 'client', body: { zone: 'east' } }, 'client.duplicated', data);
    const others = async (headers: Headers) =>
      (await changes(behind(now), headers)).items.map((event) => (event.data as typeof data).others);
    expect(await others(asOperator)).toEqual([data.others]);
    expect(await others(await limitedTo('east'))).toEqual([[]]);
  });

  it('whose rights change has what happened since it began, and nothing twice', async () => {
    await node('b', 'west');
    shell.step(5 * minuteMs);
    const began = await changes('', await limitedTo('east'));
    await node('b', 'west');
    const grown = await changes(behind(began), await limitedTo('east', 'west'));
    expect(ids(grown)).toEqual(['node/b#2']);
    const shrunk = await changes(behind(grown), await limitedTo('east'));
    await node('b', 'west');
    expect(ids(await changes(behind(shrunk), await limitedTo('west')))).toEqual(['node/b#3']);
  });
});

it('has those of a zone that the index has shown late', async () => {
  const late: TestShell = { ...shell, table: { ...shell.table, queryIndex: async () => ({ items: [] }) } };
  const began = await changes();
  await node('a', 'east');
  const { body } = await adminCall(late, `changes?${behind(began)}`, asOperator);
  expect(body['items']).toEqual([]);
  shell.step(10 * minuteMs);
  expect(ids(await changes(`after=${String(body['next'])}`))).toEqual(['node/a#1']);
});

it.each(['', '&limit=1'])(
  'has those of a zone once that was still for weeks, where its end is read as it was before (%s)',
  async (more) => {
    await node('a', 'east');
    const key = { pk: 'journal#east', sk: 'end' };
    const end = await shell.table.read(key);
    shell.step(10 * dayMs);
    const now = await changes();
    // One row of the journal with two events.
    for (const id of ['a', 'b']) await commits({ pk: `node#${id}`, body: { zone: 'east' } });
    await publishes();
    const news = await changes(behind(now, more));

    const { readMany } = shell.table;
    const aMomentAgo = vi
      .spyOn(shell.table, 'readMany')
      .mockImplementation(async (...keys) => (await readMany(...keys)).map((row) => (row && nameOf(row.key) === nameOf(key) ? end : row)));
    const late = await changes(behind(news, more));
    aMomentAgo.mockRestore();
    const rest = await changes(behind(late));
    expect([news, late, rest].flatMap(ids)).toEqual(['node/a#2', 'node/b#1']);
  },
);

it('costs half a unit a zone when nothing is new', async () => {
  for (const zone of ['a', 'b', 'c', 'd']) await node('n', zone);
  const key = await limitedTo('a', 'b', 'c', 'd');
  const now = await changes('', key);
  await changes(behind(now), key);
  const { readUnits } = { ...shell.table.meter };
  await changes(behind(now), key);
  expect(shell.table.meter.readUnits - readUnits).toBe(2);
});
