import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, writes } from '../method.ts';
import { wantGroup, wantMinion, wantSystem } from '../wanted.ts';

/** The formulas that are installed on the server. */
const installed = ['branch-network', 'dhcpd', 'locale', 'prometheus-exporters', 'system-lock', 'tuned'];
const prefix = 'formula-';

/** Whose formulas: a system's, or a group's. */
type Owner = { readonly column: 'server_id' | 'group_id'; readonly id: number };
const ofSystem = async (call: Call, sid: number): Promise<Owner> => {
  await wantMinion(call, sid);
  return { column: 'server_id', id: sid };
};
const ofGroup = async (call: Call, group: number): Promise<Owner> => ({ column: 'group_id', id: await wantGroup(call, group) });

async function assigned({ database }: Call, { column, id }: Owner): Promise<string[]> {
  const rows = await database.rows<{ category: string }>(
    `SELECT category FROM susesaltpillar WHERE ${column} = $1 AND category LIKE '${prefix}%' ORDER BY category`,
    [id],
  );
  return rows.map(({ category }) => category.slice(prefix.length));
}

async function assign(call: Call, { column, id }: Owner, formulas: readonly string[]): Promise<number> {
  const unknown = formulas.find((name) => !installed.includes(name));
  if (unknown !== undefined) throw faults.invalid(`The formula ${unknown} is not installed`);
  const categories = formulas.map((name) => `${prefix}${name}`);
  await call.database.rows(`DELETE FROM susesaltpillar WHERE ${column} = $1 AND category LIKE '${prefix}%' AND category <> ALL($2)`, [
    id,
    categories,
  ]);
  await call.database.rows(
    `INSERT INTO susesaltpillar (id, ${column}, category, pillar)
     SELECT nextval('suse_salt_pillar_id_seq'), $1, category, '{}' FROM unnest($2::varchar[]) category ON CONFLICT DO NOTHING`,
    [id, categories],
  );
  return 1;
}

async function dataOf(call: Call, { column, id }: Owner, category: string): Promise<Value> {
  const [found] = await call.database.rows<{ pillar: Value }>(`SELECT pillar FROM susesaltpillar WHERE ${column} = $1 AND category = $2`, [
    id,
    category,
  ]);
  return found?.pillar ?? {};
}

async function setData(call: Call, owner: Owner, formula: string, content: Value): Promise<number> {
  if (!(await assigned(call, owner)).includes(formula))
    throw faults.invalidParameter("One of the system doesn't have formula assigned, please assign it first and try again");
  await setPillar(call, owner, `${prefix}${formula}`, content);
  return 1;
}

async function setPillar({ database }: Call, { column, id }: Owner, category: string, content: Value): Promise<void> {
  await database.rows(
    `INSERT INTO susesaltpillar (id, ${column}, category, pillar) VALUES (nextval('suse_salt_pillar_id_seq'), $1, $2, $3)
     ON CONFLICT (${column}, category) DO UPDATE SET pillar = excluded.pillar`,
    [id, category, JSON.stringify(content)],
  );
}

/** Formulas of systems and of groups, and the pillars that they are kept as. */
export const formulaMethods: readonly Method[] = [
  reads('formula.listFormulas', {}, async () => installed),
  reads('formula.getFormulasByServerId', { sid: 'int' }, async (call, { sid }) => assigned(call, await ofSystem(call, sid))),
  reads('formula.getFormulasByGroupId', { systemGroupId: 'int' }, async (call, { systemGroupId }) =>
    assigned(call, await ofGroup(call, systemGroupId)),
  ),
  reads('formula.getCombinedFormulasByServerId', { sid: 'int' }, async (call, { sid }) => {
    const groups = await call.database.rows<{ id: number }>(
      'SELECT server_group_id AS id FROM rhnservergroupmembers WHERE server_id = $1',
      [sid],
    );
    const owners: Owner[] = [await ofSystem(call, sid), ...groups.map(({ id }) => ({ column: 'group_id' as const, id }))];
    const all: string[] = [];
    for (const owner of owners) all.push(...(await assigned(call, owner)));
    return [...new Set(all)].sort();
  }),
  writes('formula.setFormulasOfServer', { systemId: 'int', formulas: 'string[]' }, async (call, { systemId, formulas }) =>
    assign(call, await ofSystem(call, systemId), formulas),
  ),
  writes('formula.setFormulasOfGroup', { systemGroupId: 'int', formulas: 'string[]' }, async (call, { systemGroupId, formulas }) =>
    assign(call, await ofGroup(call, systemGroupId), formulas),
  ),
  reads('formula.getSystemFormulaData', { systemId: 'int', formulaName: 'string' }, async (call, { systemId, formulaName }) =>
    dataOf(call, await ofSystem(call, systemId), `${prefix}${formulaName}`),
  ),
  reads('formula.getGroupFormulaData', { groupId: 'int', formulaName: 'string' }, async (call, { groupId, formulaName }) =>
    dataOf(call, await ofGroup(call, groupId), `${prefix}${formulaName}`),
  ),
  writes(
    'formula.setSystemFormulaData',
    { systemId: 'int', formulaName: 'string', content: 'struct' },
    async (call, { systemId, formulaName, content }) => setData(call, await ofSystem(call, systemId), formulaName, content),
  ),
  writes(
    'formula.setGroupFormulaData',
    { groupId: 'int', formulaName: 'string', content: 'struct' },
    async (call, { groupId, formulaName, content }) => setData(call, await ofGroup(call, groupId), formulaName, content),
  ),
  reads('system.getPillar', { systemId: 'int', category: 'string' }, async (call, { systemId, category }) =>
    dataOf(call, await ofSystem(call, systemId), category),
  ),
  writes(
    'system.setPillar',
    { systemId: 'int', category: 'string', pillarData: 'struct' },
    async (call, { systemId, category, pillarData }) => {
      await setPillar(call, { column: 'server_id', id: await wantSystem(call, systemId) }, category, pillarData);
      return 1;
    },
  ),
];
