import * as z from 'zod';
import { isSameJson } from '../../../../../lib/core/json.ts';
import { Names } from '../../metadata/documents.ts';
import type { Step } from '../../metadata/plans.ts';
import { aContentKind, type Change, type Here, type IdOf, Text, when, without } from '../kind.ts';

const Filter = z.object({
  entityType: z.string(),
  rule: z.string(),
  criteria: z.object({ matcher: z.string(), field: z.string(), value: z.string() }),
});
const Filters = z.array(z.object({ id: z.number(), name: z.string(), ...Filter.shape }));

const contentFilter = aContentKind({
  kind: 'filter',
  schema: Filter,
  read: async (ask) =>
    (await ask('contentmanagement.listFilters', {}, Filters)).map(({ id, name, ...document }) => [name, { document, id }]),
  create: (name, { rule, entityType, criteria }) =>
    when(true, `make the filter ${name}`, 'contentmanagement.createFilter', { name, rule, entityType, criteria }),
  change: (name, { document, id }, wanted) => ({
    steps: when(
      document.rule !== wanted.rule || !isSameJson(document.criteria, wanted.criteria),
      `change the filter ${name}`,
      'contentmanagement.updateFilter',
      { filterId: id, name, rule: wanted.rule, criteria: wanted.criteria },
    ),
    cannot:
      document.entityType === wanted.entityType ? [] : ['the API does not change what a filter is for: remove it there, and import again'],
  }),
  remove: (name, { id }) => when(true, `remove the filter ${name}`, 'contentmanagement.removeFilter', { filterId: id }),
});

const Source = z.object({ type: z.string(), label: z.string() });
type Source = z.infer<typeof Source>;
const Environment = z.object({ label: z.string(), name: z.string(), description: Text });
/** A project of content lifecycle management. What was built of it is not in it. */
const Project = z.object({
  name: z.string(),
  description: Text,
  sources: z.array(Source).default([]),
  filters: Names.default([]),
  /** From the first to the last. */
  environments: z.array(Environment).default([]),
});
type Project = z.infer<typeof Project>;

const Projects = z.array(z.object({ label: z.string(), name: z.string(), description: Text }));
const detached = 'DETACHED';
const Sources = z.array(z.object({ type: z.string(), state: z.string(), channelLabel: z.string() }));
/** Its documentation leaves open whether the filter is inside of what is attached. */
const AttachedFilters = z.array(
  z
    .object({ state: z.string(), name: z.string().optional(), filter: z.object({ name: z.string() }).optional() })
    .transform(({ state, name, filter }) => ({ state, name: filter?.name ?? name ?? '' })),
);

/**
 * Sources in their order, since the first is the base of what is built. One that stands elsewhere is detached and
 * attached again at its place: a server moves none that is attached.
 */
function changeSources(projectLabel: string, has: Project, wanted: Project): readonly Step[] {
  const call = (verb: 'attach' | 'detach', { type, label }: Source, at?: number) =>
    when(true, `${verb} the source ${label} of the project ${projectLabel}`, `contentmanagement.${verb}Source`, {
      ...{ projectLabel, sourceType: type, sourceLabel: label },
      ...(at !== undefined && { sourcePosition: at }),
    });
  const steps: Step[] = without(has.sources, wanted.sources).flatMap((one) => call('detach', one));
  const there = has.sources.filter((one) => wanted.sources.some((other) => isSameJson(one, other)));
  for (const [at, source] of wanted.sources.entries()) {
    if (isSameJson(there[at], source)) continue;
    const from = there.findIndex((one) => isSameJson(one, source));
    if (from !== -1) steps.push(...there.splice(from, 1).flatMap((one) => call('detach', one)));
    steps.push(...call('attach', source, at));
    there.splice(at, 0, source);
  }
  return steps;
}

function changeFilters(projectLabel: string, has: Project, wanted: Project, idOf: IdOf): Change {
  const call = (verb: 'attach' | 'detach', name: string) => {
    const filterId = idOf('filter', name);
    return when(filterId !== undefined, `${verb} the filter ${name} of the project ${projectLabel}`, `contentmanagement.${verb}Filter`, {
      ...{ projectLabel, filterId },
    });
  };
  const come = without(wanted.filters, has.filters);
  return {
    steps: [
      ...without(has.filters, wanted.filters).flatMap((name) => call('detach', name)),
      ...come.flatMap((name) => call('attach', name)),
    ],
    cannot: come.filter((name) => idOf('filter', name) === undefined).map((name) => `this server has no filter ${name}`),
  };
}

/** None is removed or moved: with an environment, a server removes the channels that were built in it. */
function changeEnvironments(projectLabel: string, has: Project, wanted: Project): Change {
  const [before, after] = [has.environments.map(({ label }) => label), wanted.environments.map(({ label }) => label)];
  const kept = after.filter((label) => before.includes(label));
  const beyond = without(before, after);
  if (!isSameJson(kept, without(before, beyond)))
    return { steps: [], cannot: ['the API does not change the order of environments: remove the project there, and import again'] };
  return {
    steps: wanted.environments.flatMap((one, n) => {
      const known = has.environments.find(({ label }) => label === one.label);
      return known ? describeEnvironment(projectLabel, known, one) : makeEnvironment(projectLabel, one, after[n - 1] ?? '');
    }),
    cannot: beyond.map(
      (label) => `the server has the environment ${label} beyond that, with the channels that were built in it: remove it there`,
    ),
  };
}

type Environment = z.infer<typeof Environment>;

const makeEnvironment = (projectLabel: string, { label, name, description }: Environment, predecessorLabel: string): readonly Step[] =>
  when(true, `make the environment ${label} of the project ${projectLabel}`, 'contentmanagement.createEnvironment', {
    ...{ projectLabel, predecessorLabel, envLabel: label, name, description },
  });

const describeEnvironment = (projectLabel: string, has: Environment, { label, name, description }: Environment): readonly Step[] =>
  when(
    has.name !== name || has.description !== description,
    `describe the environment ${label} of the project ${projectLabel}`,
    'contentmanagement.updateEnvironment',
    { projectLabel, envLabel: label, props: { name, description } },
  );

const contentProject = aContentKind({
  kind: 'project',
  schema: Project,
  read: async (ask) => {
    const found: [string, Here<unknown>][] = [];
    for (const { label, name, description } of await ask('contentmanagement.listProjects', {}, Projects)) {
      const of = { projectLabel: label };
      const sources = (await ask('contentmanagement.listProjectSources', of, Sources))
        .filter(({ state }) => state !== detached)
        .map(({ type, channelLabel }) => ({ type, label: channelLabel }));
      const filters = (await ask('contentmanagement.listProjectFilters', of, AttachedFilters))
        .filter(({ state }) => state !== detached)
        .map((one) => one.name);
      const environments = await ask('contentmanagement.listProjectEnvironments', of, z.array(Environment));
      found.push([label, { document: { name, description, sources, filters, environments }, id: label }]);
    }
    return found;
  },
  create: (projectLabel, { name, description }) =>
    when(true, `make the project ${projectLabel}`, 'contentmanagement.createProject', { projectLabel, name, description }),
  change: (projectLabel, { document }, wanted, idOf) => {
    const { name, description } = wanted;
    const parts = [changeFilters(projectLabel, document, wanted, idOf), changeEnvironments(projectLabel, document, wanted)];
    return {
      steps: [
        ...when(
          document.name !== name || document.description !== description,
          `describe the project ${projectLabel}`,
          'contentmanagement.updateProject',
          { projectLabel, props: { name, description } },
        ),
        ...changeSources(projectLabel, document, wanted),
        ...parts.flatMap(({ steps }) => steps),
      ],
      cannot: parts.flatMap(({ cannot }) => cannot),
    };
  },
  remove: (projectLabel) => when(true, `remove the project ${projectLabel}`, 'contentmanagement.removeProject', { projectLabel }),
});

/** In order of making. */
export const projectKinds = [contentFilter, contentProject] as const;
