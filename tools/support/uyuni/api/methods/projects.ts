import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { textIn, wantChannel } from '../wanted.ts';

type Struct = { readonly [name: string]: Value };

const projectShown = `id, label, name, coalesce(description, '') AS description, org_id AS "orgId",
  (SELECT e.label FROM susecontentenvironment e WHERE e.project_id = p.id
    AND NOT EXISTS (SELECT FROM susecontentenvironment b WHERE b.next_env_id = e.id)) AS "firstEnvironment"`;

/** The number of a project of the caller's organisation. Throws a fault where there is none. */
export async function wantProject({ database, caller }: Call, label: string): Promise<number> {
  const [found] = await database.rows<{ id: number }>('SELECT id FROM susecontentproject WHERE label = $1 AND org_id = $2', [
    label,
    caller.org,
  ]);
  if (!found) throw faults.missing(label);
  return found.id;
}

/** A project without an environment has no first one. */
const projectsWhere = async ({ database }: Call, condition: string, value: unknown): Promise<Struct[]> =>
  (await database.rows(`SELECT ${projectShown} FROM susecontentproject p WHERE ${condition} ORDER BY label`, [value])).map(
    ({ firstEnvironment = null, ...project }) => ({ ...project, ...(firstEnvironment !== null && { firstEnvironment }) }),
  );

const projectOf = async (call: Call, label: string): Promise<Value> =>
  (await projectsWhere(call, 'id = $1', await wantProject(call, label)))[0] ?? null;

type Environment = Struct & { readonly id: number; readonly label: string; readonly next: number | null };

/** The environments of a project from the first to the last. */
async function environmentsOf(call: Call, projectLabel: string): Promise<readonly Environment[]> {
  const id = await wantProject(call, projectLabel);
  const all = await call.database.rows<Environment>(
    `SELECT id, label, name, coalesce(description, '') AS description, coalesce(version, 0) AS version, next_env_id AS next
     FROM susecontentenvironment WHERE project_id = $1`,
    [id],
  );
  const chain: Environment[] = [];
  let one = all.find(({ id: own }) => !all.some(({ next }) => next === own));
  while (one) {
    chain.push(one);
    const { next } = one;
    one = all.find(({ id: own }) => own === next);
  }
  return chain;
}

async function shownEnvironments(call: Call, contentProjectLabel: string): Promise<Struct[]> {
  const chain = await environmentsOf(call, contentProjectLabel);
  return chain.map(({ next: _next, ...one }, n) => {
    const [before, after] = [chain[n - 1], chain[n + 1]];
    return {
      ...{ ...one, status: 'new', contentProjectLabel },
      ...(before && { previousEnvironmentLabel: before.label }),
      ...(after && { nextEnvironmentLabel: after.label }),
    };
  });
}

async function environmentOf(call: Call, projectLabel: string, label: string): Promise<Struct> {
  const found = (await shownEnvironments(call, projectLabel)).find((one) => one['label'] === label);
  if (!found) throw faults.missing(label);
  return found;
}

type NewEnvironment = { projectLabel: string; predecessorLabel: string; envLabel: string; name: string; description: string };

async function createEnvironment(call: Call, given: NewEnvironment): Promise<Value> {
  wantRole(call.caller);
  const { projectLabel, predecessorLabel, envLabel, name, description } = given;
  const chain = await environmentsOf(call, projectLabel);
  const before = chain.find(({ label }) => label === predecessorLabel);
  if (predecessorLabel !== '' && !before) throw faults.missing(predecessorLabel);
  const next = before ? before.next : (chain[0]?.id ?? null);
  const { database } = call;
  // The place after the one before is free for the new one first.
  if (before) await database.rows('UPDATE susecontentenvironment SET next_env_id = NULL WHERE id = $1', [before.id]);
  const [made] = await database.rows<{ id: number }>(
    `INSERT INTO susecontentenvironment (id, project_id, label, name, description, next_env_id)
     VALUES (nextval('suse_ct_env_seq'), $1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id`,
    [await wantProject(call, projectLabel), envLabel, name, description, next],
  );
  if (!made) throw faults.exists(envLabel);
  if (before) await database.rows('UPDATE susecontentenvironment SET next_env_id = $2 WHERE id = $1', [before.id, made.id]);
  return environmentOf(call, projectLabel, envLabel);
}

async function removeEnvironment(call: Call, projectLabel: string, label: string): Promise<Value> {
  wantRole(call.caller);
  const chain = await environmentsOf(call, projectLabel);
  const n = chain.findIndex((one) => one.label === label);
  if (n === -1) throw faults.missing(label);
  const { database } = call;
  if (n > 0) await database.rows('UPDATE susecontentenvironment SET next_env_id = NULL WHERE id = $1', [chain[n - 1]!.id]);
  await database.rows('DELETE FROM susecontentenvironment WHERE id = $1', [chain[n]!.id]);
  if (n > 0) await database.rows('UPDATE susecontentenvironment SET next_env_id = $2 WHERE id = $1', [chain[n - 1]!.id, chain[n]!.next]);
  return 1;
}

type Source = { readonly id: number; readonly state: string };

/** The one source that a label means. Channels of software are the only sources there are. */
async function sourceOf(call: Call, projectLabel: string, type: string, label: string): Promise<Source | undefined> {
  if (type !== 'software') throw faults.invalid(`There are no sources of the type ${type}`);
  const values = [await wantProject(call, projectLabel), label];
  const [found] = await call.database.rows<Source>(
    `SELECT s.id, s.state FROM susecontentprojectsource s JOIN rhnchannel c ON c.id = s.channel_id WHERE s.project_id = $1 AND c.label = $2`,
    values,
  );
  return found;
}

type NewSource = { projectLabel: string; sourceType: string; sourceLabel: string; sourcePosition?: number };

/** Attaches a source: at a place that counts from 0, or at the end. One that was built and detached is built again. */
async function attachSource(call: Call, { projectLabel, sourceType, sourceLabel, sourcePosition }: NewSource): Promise<Value> {
  wantRole(call.caller);
  const { database } = call;
  const there = await sourceOf(call, projectLabel, sourceType, sourceLabel);
  if (there && there.state !== 'DETACHED') throw faults.exists(sourceLabel);
  const state = there ? 'BUILT' : 'ATTACHED';
  if (there) await database.rows('DELETE FROM susecontentprojectsource WHERE id = $1', [there.id]);
  const [project, { id }] = [await wantProject(call, projectLabel), await wantChannel(call, sourceLabel)];
  const has = await database.rows('SELECT 1 FROM susecontentprojectsource WHERE project_id = $1', [project]);
  const at = Math.min(sourcePosition ?? has.length, has.length);
  await database.rows('UPDATE susecontentprojectsource SET position = position + 1 WHERE project_id = $1 AND position >= $2', [
    project,
    at,
  ]);
  await database.rows(
    `INSERT INTO susecontentprojectsource (id, project_id, type, state, channel_id, position)
     VALUES (nextval('suse_ct_prj_src_seq'), $1, $2, $3, $4, $5)`,
    [project, sourceType, state, id, at],
  );
  return { contentProjectLabel: projectLabel, type: sourceType, state, channelLabel: sourceLabel };
}

/** Detaches a source, which a next build removes, should it have been built. */
async function detachSource(call: Call, { projectLabel, sourceType, sourceLabel }: NewSource): Promise<Value> {
  wantRole(call.caller);
  const there = await sourceOf(call, projectLabel, sourceType, sourceLabel);
  if (!there) throw faults.missing(sourceLabel);
  if (there.state !== 'ATTACHED') {
    await call.database.rows(`UPDATE susecontentprojectsource SET state = 'DETACHED' WHERE id = $1`, [there.id]);
    return 1;
  }
  const [gone] = await call.database.rows<{ project: number; position: number }>(
    'DELETE FROM susecontentprojectsource WHERE id = $1 RETURNING project_id AS project, position',
    [there.id],
  );
  await call.database.rows('UPDATE susecontentprojectsource SET position = position - 1 WHERE project_id = $1 AND position > $2', [
    ...[gone?.project, gone?.position],
  ]);
  return 1;
}

const inProject = { projectLabel: 'string' } as const;
const source = { ...inProject, sourceType: 'string', sourceLabel: 'string' } as const;
const environment = { ...inProject, envLabel: 'string' } as const;

/** Projects of content lifecycle management: sources, filters, environments. Nothing is built here. */
export const projectMethods: readonly Method[] = [
  reads('contentmanagement.listProjects', {}, (call) => projectsWhere(call, 'org_id = $1', call.caller.org)),
  reads('contentmanagement.lookupProject', inProject, (call, { projectLabel }) => projectOf(call, projectLabel)),
  writes(
    'contentmanagement.createProject',
    { ...inProject, name: 'string', description: 'string' },
    async (call, { projectLabel, name, description }) => {
      wantRole(call.caller);
      const made = await call.database.rows(
        `INSERT INTO susecontentproject AS p (id, label, name, description, org_id) VALUES (nextval('suse_ct_project_seq'), $1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING id`,
        [projectLabel, name, description, call.caller.org],
      );
      if (made.length === 0) throw faults.exists(projectLabel);
      return projectOf(call, projectLabel);
    },
  ),
  writes('contentmanagement.updateProject', { ...inProject, props: 'struct' }, async (call, { projectLabel, props }) => {
    wantRole(call.caller);
    await call.database.rows(
      'UPDATE susecontentproject SET name = coalesce($2, name), description = coalesce($3, description) WHERE id = $1',
      [await wantProject(call, projectLabel), textIn(props, 'name') ?? null, textIn(props, 'description') ?? null],
    );
    return projectOf(call, projectLabel);
  }),
  writes('contentmanagement.removeProject', inProject, async (call, { projectLabel }) => {
    wantRole(call.caller);
    await call.database.rows('DELETE FROM susecontentproject WHERE id = $1', [await wantProject(call, projectLabel)]);
    return 1;
  }),
  reads('contentmanagement.listProjectSources', inProject, async (call, { projectLabel }) =>
    call.database.rows(
      `SELECT $2::text AS "contentProjectLabel", s.type, s.state, c.label AS "channelLabel"
       FROM susecontentprojectsource s JOIN rhnchannel c ON c.id = s.channel_id WHERE s.project_id = $1 ORDER BY s.position`,
      [await wantProject(call, projectLabel), projectLabel],
    ),
  ),
  writes('contentmanagement.attachSource', source, attachSource),
  writes('contentmanagement.attachSource', { ...source, sourcePosition: 'int' }, attachSource),
  writes('contentmanagement.detachSource', source, detachSource),
  reads('contentmanagement.listProjectEnvironments', inProject, (call, { projectLabel }) => shownEnvironments(call, projectLabel)),
  writes(
    'contentmanagement.createEnvironment',
    { ...inProject, predecessorLabel: 'string', envLabel: 'string', name: 'string', description: 'string' },
    createEnvironment,
  ),
  writes('contentmanagement.updateEnvironment', { ...environment, props: 'struct' }, async (call, { projectLabel, envLabel, props }) => {
    wantRole(call.caller);
    const { id } = await environmentOf(call, projectLabel, envLabel);
    await call.database.rows(
      'UPDATE susecontentenvironment SET name = coalesce($2, name), description = coalesce($3, description) WHERE id = $1',
      [id, textIn(props, 'name') ?? null, textIn(props, 'description') ?? null],
    );
    return environmentOf(call, projectLabel, envLabel);
  }),
  writes('contentmanagement.removeEnvironment', environment, (call, { projectLabel, envLabel }) =>
    removeEnvironment(call, projectLabel, envLabel),
  ),
];
