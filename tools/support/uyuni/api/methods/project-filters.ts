import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { textIn } from '../wanted.ts';
import { wantProject } from './projects.ts';

const filterShown = `f.id, f.name, f.org_id AS "orgId", f.type AS "entityType", f.rule,
  json_build_object('matcher', f.matcher, 'field', f.field, 'value', f.value) AS criteria`;

async function wantFilter({ database, caller }: Call, id: number): Promise<{ readonly [name: string]: Value }> {
  const [found] = await database.rows(`SELECT ${filterShown} FROM susecontentfilter f WHERE f.id = $1 AND f.org_id = $2`, [id, caller.org]);
  if (!found) throw faults.invalid(`There is no filter ${id}`);
  return found;
}

const inProject = { projectLabel: 'string' } as const;
const filter = { name: 'string', rule: 'string' } as const;
const attached = { ...inProject, filterId: 'int' } as const;

/** Filters of projects. */
export const filterMethods: readonly Method[] = [
  reads('contentmanagement.listFilters', {}, ({ database, caller }) =>
    database.rows(`SELECT ${filterShown} FROM susecontentfilter f WHERE f.org_id = $1 ORDER BY f.name`, [caller.org]),
  ),
  writes(
    'contentmanagement.createFilter',
    { ...filter, entityType: 'string', criteria: 'struct' },
    async (call, { name, rule, entityType, criteria }) => {
      wantRole(call.caller);
      const [made] = await call.database.rows<{ id: number }>(
        `INSERT INTO susecontentfilter (id, org_id, type, rule, name, matcher, field, value)
         VALUES (nextval('suse_ct_filter_seq'), $1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id`,
        [call.caller.org, entityType, rule, name, ...['matcher', 'field', 'value'].map((field) => textIn(criteria, field))],
      );
      if (!made) throw faults.invalid(`There is a filter ${name} already`);
      return wantFilter(call, made.id);
    },
  ),
  writes(
    'contentmanagement.updateFilter',
    { filterId: 'int', ...filter, criteria: 'struct' },
    async (call, { filterId, name, rule, criteria }) => {
      wantRole(call.caller);
      await wantFilter(call, filterId);
      await call.database.rows('UPDATE susecontentfilter SET name = $2, rule = $3, matcher = $4, field = $5, value = $6 WHERE id = $1', [
        ...[filterId, name, rule],
        ...['matcher', 'field', 'value'].map((field) => textIn(criteria, field)),
      ]);
      return wantFilter(call, filterId);
    },
  ),
  writes('contentmanagement.removeFilter', { filterId: 'int' }, async (call, { filterId }) => {
    wantRole(call.caller);
    await wantFilter(call, filterId);
    const used = await call.database.rows('SELECT 1 FROM susecontentfilterproject WHERE filter_id = $1', [filterId]);
    if (used.length > 0) throw faults.invalid(`The filter ${filterId} is used by a project`);
    await call.database.rows('DELETE FROM susecontentfilter WHERE id = $1', [filterId]);
    return 1;
  }),
  reads('contentmanagement.listProjectFilters', inProject, async (call, { projectLabel }) =>
    call.database.rows(
      `SELECT ${filterShown}, a.state FROM susecontentfilterproject a JOIN susecontentfilter f ON f.id = a.filter_id
       WHERE a.project_id = $1 ORDER BY a.id`,
      [await wantProject(call, projectLabel)],
    ),
  ),
  writes('contentmanagement.attachFilter', attached, async (call, { projectLabel, filterId }) => {
    wantRole(call.caller);
    await call.database.rows(
      `INSERT INTO susecontentfilterproject (id, filter_id, project_id, state) VALUES (nextval('suse_ct_f_p_seq'), $1, $2, 'ATTACHED')
       ON CONFLICT DO NOTHING`,
      [(await wantFilter(call, filterId))['id'], await wantProject(call, projectLabel)],
    );
    return wantFilter(call, filterId);
  }),
  writes('contentmanagement.detachFilter', attached, async (call, { projectLabel, filterId }) => {
    wantRole(call.caller);
    await call.database.rows('DELETE FROM susecontentfilterproject WHERE filter_id = $1 AND project_id = $2', [
      filterId,
      await wantProject(call, projectLabel),
    ]);
    return 1;
  }),
];
