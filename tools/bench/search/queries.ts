import type { Query, Test } from '../../../lib/search/language/query.ts';

/** What kind of work a query is: its target goes by it. */
export type Work = 'boolean' | 'prefix' | 'infix' | 'pattern';

/** A query, and what selects the same systems in SQLite, where it can. */
export type Asked = {
  readonly what: string;
  readonly work: Work;
  readonly query: Query;
  readonly sql?: readonly [select: string, ...values: string[]];
};

const term = (field: string, test: Test): Query => ({ op: 'term', field, test, at: 1, text: field });
const is = (field: string, ...any: readonly string[]): Query => term(field, { is: 'glob', any });
const and = (...of: readonly Query[]): Query => ({ op: 'and', of });
const not = (of: Query): Query => ({ op: 'not', of });

const tagged = 'SELECT n FROM tags WHERE tag = ?';
const has = 'EXISTS (SELECT 1 FROM tags o WHERE o.tag = ? AND o.n = tags.n)';
const inGroup = 'EXISTS (SELECT 1 FROM systems s WHERE s.grp = ? AND s.n = tags.n)';
const named = 'SELECT rowid AS n FROM names WHERE name GLOB ?';

/** A glob of names, in the full-text index of SQLite. */
const glob = (text: string, work: Work): Asked => ({ what: text, work, query: is('name', text), sql: [named, text] });

/** Everything that is measured. */
export const asked: readonly Asked[] = [
  { what: 'tag:t5', work: 'boolean', query: is('tag', 't5'), sql: [tagged, 't5'] },
  {
    what: 'tag:t5 tag:t1500',
    work: 'boolean',
    query: and(is('tag', 't5'), is('tag', 't1500')),
    sql: [`${tagged} AND ${has}`, 't1500', 't5'],
  },
  {
    what: 'tag:t2 tag:t9 -group:g3',
    work: 'boolean',
    query: and(is('tag', 't2'), is('tag', 't9'), not(is('group', 'g3'))),
    sql: [`${tagged} AND ${has} AND NOT ${inGroup}`, 't9', 't2', 'g3'],
  },
  {
    what: 'tag:t20,t33,t400 group:g1 -tag:t7',
    work: 'boolean',
    query: and(is('tag', 't20', 't33', 't400'), is('group', 'g1'), not(is('tag', 't7'))),
    sql: [`SELECT DISTINCT n FROM tags WHERE tag IN (?, ?, ?) AND ${inGroup} AND NOT ${has}`, 't20', 't33', 't400', 'g1', 't7'],
  },
  { what: 'web0*', work: 'prefix', query: is('name', 'web0*'), sql: ['SELECT n FROM systems WHERE name GLOB ?', 'web0*'] },
  {
    what: 'web0a*.acme.org tag:t5',
    work: 'prefix',
    query: and(is('name', 'web0a*.acme.org'), is('tag', 't5')),
    sql: [
      'SELECT n FROM systems WHERE name GLOB ? AND EXISTS (SELECT 1 FROM tags o WHERE o.tag = ? AND o.n = systems.n)',
      'web0a*.acme.org',
      't5',
    ],
  },
  glob('*0zz1*', 'infix'),
  glob('*.dc7.*', 'infix'),
  glob('*web*', 'infix'),
  glob('*b.dc7.acme.org', 'infix'),
  { what: '*web* tag:t900', work: 'infix', query: and(is('name', '*web*'), is('tag', 't900')) },
  glob('?[a-d]*z?.dc*', 'pattern'),
  { what: '~^(db|web)..z.*\\.lab\\.org$', work: 'pattern', query: term('name', { is: 'regex', any: ['^(db|web)..z.*\\.lab\\.org$'] }) },
];
