import { describe, expect, it } from 'vitest';
import { nameOf, type Row } from '../../lib/ports/table/table.ts';
import { loadFunctions } from '../../programs/local/functions.ts';
import { noon } from '../../tools/support/a-row.ts';
import { aShell } from '../../tools/support/a-shell.ts';
import { asOperator } from '../../tools/support/operator.ts';
import { historyNames, unrecorded } from './coverage.ts';
import { newestEnd, readRecorded } from './files.ts';
import { readHistory } from './history.ts';
import { breaches, promisesOf } from './promises.ts';
import { type Functions, readEnd, replay } from './replay.ts';
import { kindsIn, kindsRead, unreadable } from './stored-rows.ts';

const files = readRecorded();
const names = historyNames(files);
const functions = await loadFunctions();
const instead = 'Muster breaks what it promised. If that is on purpose: docs/decisions/0017-golden-histories.md says how to go on';

const historyOf = (name: string) => readHistory(files.get(`histories/${name}.jsonl`)!);
const endOf = (name: string) => readEnd(newestEnd(files, `histories/${name}`)!.text);
/** What is promised of a history that is otherwise when these functions replay it. */
async function broken(name: string, by: Functions): Promise<string[]> {
  const { knows, ...promised } = endOf(name);
  return breaches(promisesOf(promised, knows), promisesOf(await replay(historyOf(name), by), knows));
}
/** The functions of this checkout, of which one does nothing. */
const without = (name: string): Functions =>
  new Map([...functions].map(([other, fn]) => [other, other === name && fn.on === 'queue' ? { on: 'queue', handle: async () => [] } : fn]));

describe.each(names)('%s', (name) => {
  it('leads to the end that it always led to', async () => {
    expect(await broken(name, functions), instead).toEqual([]);
  });

  it('left rows that are understood still', () => {
    expect(unreadable(endOf(name).rows)).toEqual([]);
  });

  it('goes on from those rows: the sweep runs, and operators see everybody', async () => {
    const { rows, at } = endOf(name);
    const shell = aShell({}, new Map(rows.map((row) => [nameOf(row.key), row])));
    shell.step(at - noon);
    const [sweep, admin] = [functions.get('sweep')!, functions.get('admin')!];
    if (sweep.on === 'schedule') await sweep.handle('message', shell);
    const header = (name: string): string | undefined => asOperator[name as keyof typeof asOperator];
    const ask = async (path: string): Promise<number> => {
      const request = { id: 'an-operator', method: 'GET', path, query: '', body: '', source: '127.0.0.1', header };
      return admin.on === 'route' ? (await admin.handle(request, shell)).status : 0;
    };
    const paths = ['/api/v1/nodes', '/api/v1/systems', '/api/v1/zones/default', '/api/v1/status', ...rows.flatMap(pathsTo)];
    const refused = await Promise.all(paths.map(async (path) => `${path} ${await ask(path)}`));
    expect(refused.filter((answer) => !answer.endsWith(' 200'))).toEqual([]);
    expect(shell.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

/** Where an operator looks at what a row is about. */
function pathsTo({ key, gone }: Row): string[] {
  const [kind, id] = key.pk.split('#');
  if (gone) return [];
  if (kind === 'node' && key.sk === 'node') return [`/api/v1/nodes/${id}`, `/api/v1/explain/node/${id}`, `/api/v1/history/node/${id}`];
  return kind === 'client' ? [`/api/v1/systems/${id}`, `/api/v1/explain/system/${id}`, `/api/v1/history/system/${id}`] : [];
}

describe('all histories together', () => {
  it('have every version of every report and every published event of the catalogue', () => {
    expect(unrecorded(files)).toEqual([]);
  });

  it('have rows of nearly every kind', () => {
    const kinds = names.flatMap((name) => kindsIn(endOf(name).rows));
    // What no history has had: larger zones than one begins with, what people and loads of facts leave, and
    // refused knocks, rates that adapt, and silent client systems in rows of their own, which are younger.
    expect(kindsRead.filter((kind) => !kinds.includes(kind))).toEqual([
      ...['zone/delta', 'zone/turns', 'deliveries', 'webhook/secret', 'node/bearing', 'pooled-host/pooled-host'],
      ...['cluster/devices', 'cluster/load', 'cluster/layout', 'cluster/part', 'cluster/garbage'],
      'silence/silence',
      ...['onboarding-refusals/onboarding-refusals', 'onboarding-token/onboarding-token', 'subject/subject', 'api-key/api-key'],
    ]);
  });
});

describe('what would break a promise', () => {
  it('is found: a node that is not heard ends otherwise', async () => {
    const found = await broken('a-node-is-lost-and-found', without('heartbeats'));
    // Nobody at all is heard: the zone's brakes hold them.
    expect(found).toContain('node n4e41c53a21927465 / status: promised "up", now "suspect"');
  });

  it('is found: reports that are not taken are missed in rows and in events', async () => {
    const found = await broken('two-machines-have-one-key', without('reports'));
    expect(found).toContain('node n83ff8756f1a2c715 / status: promised "up", now "absent"');
    expect(found).toContain('node/n83ff8756f1a2c715 / event 3: promised "node.quarantined.v1", now nothing');
  });

  it('is no field more in an event, and no event that nobody knew', () => {
    const { knows, ...end } = endOf('a-digest-confirms');
    const [first, ...rest] = end.published;
    const more = [{ ...first!, data: { ...first!.data, later: 1 } }, { ...first!, dataschema: 'muster:node.dreamt:1' }, ...rest];
    expect(breaches(promisesOf(end, knows), promisesOf({ ...end, published: more }, knows))).toEqual([]);
    expect(breaches(promisesOf(end, knows), promisesOf({ ...end, published: rest }, knows))).not.toEqual([]);
  });

  it('is nobody to whom a row is put down: what was recorded before callers were verified knew none', () => {
    const { knows, ...end } = endOf('nodes-leave');
    const actor = { who: 'admin:anna', source: '192.0.2.7', request: 'call-1' };
    const rows = end.rows.map((row) => ({ ...row, actor, changed: ['weight'] }));
    expect(breaches(promisesOf(end, knows), promisesOf({ ...end, rows }, knows))).toEqual([]);
  });

  it('is a row that is not understood any more', () => {
    const [row] = endOf('nodes-leave').rows.filter(({ key }) => key.sk === 'node');
    const { status: _old, ...body } = row!.body as { status: string };
    expect(unreadable([{ ...row!, body }])).toEqual([expect.stringMatching(/^node\/node node#n[0-9a-f]{16}: \/status /)]);
  });

  it('is an event that no history has: who adds one is told what to do', () => {
    const fewer = new Map([...files].filter(([path]) => !path.startsWith('histories/nodes-leave.')));
    expect(unrecorded(fewer)).toEqual(
      ['node.released.v1', 'node.departing.v1'].map(
        (name) =>
          `no history has ${name}: tell a story that has it in test/golden/stories/, and record it: node test/golden/record.ts <name>`,
      ),
    );
  });
});
