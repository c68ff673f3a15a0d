import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { textIn } from '../wanted.ts';
import { wantProject } from './projects.ts';

type Struct = { readonly [name: string]: Value };

const filterShown = `f.id, f.name, f.org_id AS "orgId", f.type AS "entityType", f.rule,
  json_build_object('matcher', f.matcher, 'field', f.field, 'value', f.value) AS criteria`;

async function wantFilter({ database, caller }: Call, id: number): Promise<Struct> {
  const [found] = await database.rows(`SELECT ${filterShown} FROM susecontentfilter f WHERE f.id = $1 AND f.org_id = $2`, [id, caller.org]);
  if (!found) throw faults.missing(String(id));
  return found;
}

/** Refuses what is no rule, no criterion, or a filter of nothing that there is. */
function wantCriteria(rule: string, entityType: string, criteria: Struct): readonly string[] {
  const parts = ['matcher', 'field', 'value'].flatMap((part) => textIn(criteria, part) ?? []);
  if (!['allow', 'deny'].includes(rule)) throw faults.invalid(`${rule} is no rule of a filter`);
  if (!['package', 'erratum', 'module', 'ptf'].includes(entityType)) throw faults.invalid(`There are no filters of the type ${entityType}`);
  if (parts.length < 3) throw faults.invalid('A criterion has a matcher, a field and a value');
  return parts;
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
        [call.caller.org, entityType, rule, name, ...wantCriteria(rule, entityType, criteria)],
      );
      if (!made) throw faults.exists(name);
      return wantFilter(call, made.id);
    },
  ),
  writes(
    'contentmanagement.updateFilter',
    { filterId: 'int', ...filter, criteria: 'struct' },
    async (call, { filterId, name, rule, criteria }) => {
      wantRole(call.caller);
      const { entityType } = await wantFilter(call, filterId);
      await call.database.rows(
        `UPDATE susecontentfilter SET name = $2, rule = $3, matcher = $4, field = $5, value = $6, modified = current_timestamp WHERE id = $1`,
        [filterId, name, rule, ...wantCriteria(rule, String(entityType), criteria)],
      );
      await call.database.rows(`UPDATE susecontentfilterproject SET state = 'EDITED' WHERE filter_id = $1 AND state = 'BUILT'`, [filterId]);
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
  reads('contentmanagement.listProjectFilters', inProject, async (call, { projectLabel }) => {
    const filters = await call.database.rows(
      `SELECT a.state, ${filterShown} FROM susecontentfilterproject a JOIN susecontentfilter f ON f.id = a.filter_id
       WHERE a.project_id = $1 ORDER BY a.id`,
      [await wantProject(call, projectLabel)],
    );
    return filters.map(({ state = '', ...one }) => ({ state, filter: one }));
  }),
  writes('contentmanagement.attachFilter', attached, async (call, { projectLabel, filterId }) => {
    wantRole(call.caller);
    await call.database.rows(
      `INSERT INTO susecontentfilterproject AS a (id, filter_id, project_id, state) VALUES (nextval('suse_ct_f_p_seq'), $1, $2, 'ATTACHED')
       ON CONFLICT (filter_id, project_id) DO UPDATE SET state = CASE a.state WHEN 'DETACHED' THEN 'BUILT' ELSE a.state END`,
      [(await wantFilter(call, filterId))['id'], await wantProject(call, projectLabel)],
    );
    return wantFilter(call, filterId);
  }),
  writes('contentmanagement.detachFilter', attached, async (call, { projectLabel, filterId }) => {
    wantRole(call.caller);
    const where = 'WHERE filter_id = $1 AND project_id = $2 AND state';
    const values = [(await wantFilter(call, filterId))['id'], await wantProject(call, projectLabel)];
    await call.database.rows(`DELETE FROM susecontentfilterproject ${where} = 'ATTACHED'`, values);
    await call.database.rows(`UPDATE susecontentfilterproject SET state = 'DETACHED' ${where} <> 'ATTACHED'`, values);
    return 1;
  }),
];
