import type { Check, Fault, Verdict } from '../core/check.ts';
import { type Decision, isSame, nothing, write } from '../core/decision.ts';
import type { Fqdn, ServiceTypeName, ZoneName } from '../core/ids.ts';
import { builtInSchemas, builtInTypes } from './rows/built-in.ts';
import { isOwnWork } from './rows/own-work.ts';
import { type ServiceSchema, type ServiceType, type ServiceTypes, type ShutOut, typesMax, typesTextMax } from './rows/service-type.ts';
import { shutOutOf } from './verdict.ts';

/** A type of service with its schema, and whether it came with Muster or an operator has put it. */
export type CataloguedType = { readonly type: ServiceType; readonly schema: ServiceSchema; readonly origin: 'muster' | 'put' };

/** All types of a zone: those that come with Muster in their order, then those that were put, by name. */
export function typesIn(catalogue: ServiceTypes | undefined): CataloguedType[] {
  const schemas = new Map([...builtInSchemas, ...(catalogue?.schemas ?? [])].map((schema) => [schema.name, schema]));
  const of = (origin: CataloguedType['origin']) => (type: ServiceType) => ({ type, schema: schemas.get(type.schema)!, origin });
  return [...builtInTypes.map(of('muster')), ...(catalogue?.types ?? []).map(of('put'))];
}

/**
 * A change to the types of a zone. A type comes with a schema, or names one that another type has brought or that comes
 * with Muster. A type is closed before it is deleted, so that no service of it starts meanwhile, and opened again if it
 * stays. `inUse` are hosts that have a service of this type, as far as Muster has looked.
 */
export type TypesCommand = { readonly id: string; readonly zone: ZoneName; readonly inUse: readonly Fqdn[] } & (
  | {
      readonly type: 'put';
      readonly put: ServiceType;
      readonly schema?: ServiceSchema | undefined;
      readonly checked?: CheckedType | undefined;
    }
  | { readonly type: 'shut-out'; readonly name: ServiceTypeName; readonly checked: string; readonly out: Omit<ShutOut, 'type'> }
  | { readonly type: 'close' | 'open' | 'delete'; readonly name: ServiceTypeName }
);

/** The faults that earlier checks have found in a type that is put and in its schema. */
export type CheckedType = { readonly schema: ServiceSchema; readonly faults: readonly Fault[] };

/** A refused change to the types of a zone, with each fault in the request. */
export type TypeRefused = { readonly does: 'refuse'; readonly because: string; readonly errors: readonly Fault[] };

const refused = (because: string, errors: readonly Fault[] = []): TypeRefused => ({ does: 'refuse', because, errors });
const byName = <T extends { readonly name: string }>(all: readonly T[]): T[] => [...all].sort((a, b) => (a.name < b.name ? -1 : 1));
const without = <T extends { readonly name: string }>(all: readonly T[], name: string): T[] => all.filter((one) => one.name !== name);

/** Decides a change to the types of a zone. A type that is put replaces the one that was put under its name. */
export function decideTypes(catalogue: ServiceTypes | undefined, command: TypesCommand): Decision<ServiceTypes> | TypeRefused {
  const { zone, inUse } = command;
  const now = catalogue ?? { zone, schemas: [], types: [] };
  const name = command.type === 'put' ? command.put.name : command.name;
  if (builtInTypes.some((type) => type.name === name)) return refused(`the type ${name} comes with Muster, and cannot be changed`);
  const before = now.types.find((type) => type.name === name);
  if (command.type !== 'put' && !before) return nothing(`no operator has put a type ${name}`);
  if (command.type === 'open') return withClosed(now, name, false);
  if (command.type === 'shut-out') return withShutOut(now, command);
  if (command.type === 'put' && isSo(now, command))
    return shutOutOf(now, name) ? letIn(now, command) : nothing(`type ${name} is unchanged`);
  if (before && inUse.length > 0)
    return refused(
      `there are services of type ${name}, on ${inUse.join(', ')}${inUse.length < 3 ? '' : ' and perhaps more'}: stop them first`,
    );
  if (command.type === 'close') return withClosed(now, name, true);
  if (command.type === 'delete' && !now.closed?.includes(name))
    return refused(`type ${name} was opened or put again meanwhile: delete it again`);
  const others = { ...now, types: without(now.types, name) };
  return command.type === 'put' ? withPut(others, command) : write<ServiceTypes, never>(tidied(others), `type ${name} deleted`);
}

type Put = Extract<TypesCommand, { type: 'put' }>;

const isSo = ({ schemas, types, closed }: ServiceTypes, { put, schema }: Put): boolean =>
  !closed?.includes(put.name) && types.some((type) => isSame(type, put)) && (!schema || schemas.some((one) => isSame(one, schema)));

function withClosed({ closed: before = [], ...types }: ServiceTypes, name: ServiceTypeName, isClosed: boolean): Decision<ServiceTypes> {
  if (before.includes(name) === isClosed) return nothing(`type ${name} is ${isClosed ? 'closed' : 'open'} already`);
  const closed = isClosed ? [...before, name].sort() : before.filter((one) => one !== name);
  return write<ServiceTypes, never>(
    { ...types, ...(closed.length > 0 && { closed }) },
    `type ${name} ${isClosed ? 'closed' : 'open again'}`,
  );
}

/**
 * Shuts a type out, so that it takes nothing new. The schema whose check ran out of time must still be one of its
 * schemas.
 */
function withShutOut(types: ServiceTypes, { name, checked, out }: Extract<TypesCommand, { type: 'shut-out' }>): Decision<ServiceTypes> {
  if (shutOutOf(types, name)) return nothing(`type ${name} is shut out already`);
  const found = typesIn(types).find(({ type }) => type.name === name)!;
  if (!schemasOf(found).some(({ text }) => text === checked)) return nothing(`type ${name} has another schema by now`);
  const shutOut = [...(types.shutOut ?? []), { type: name, ...out }].sort((a, b) => (a.type < b.type ? -1 : 1));
  return write<ServiceTypes, never>({ ...types, shutOut }, `type ${name} is shut out: ${out.because}`);
}

/** Lets a type that was shut out take new configurations again: an operator has put it again, unchanged. */
function letIn(types: ServiceTypes, { put, checked }: Put): Decision<ServiceTypes> | TypeRefused {
  if (checked && checked.faults.length > 0) return refused(`type ${put.name} is shut out, and has faults`, checked.faults);
  return write<ServiceTypes, never>(tidied(types, put.name), `type ${put.name} put again: it takes new configurations`);
}

/**
 * Removes the schemas that no type has any more. A type that is gone, or was put again, is no longer marked as closed
 * or shut out.
 */
function tidied({ zone, schemas, types, closed = [], shutOut = [] }: ServiceTypes, put?: string): ServiceTypes {
  const stays = (name: string): boolean => name !== put && types.some((type) => type.name === name);
  const stillClosed = closed.filter(stays);
  const stillOut = shutOut.filter(({ type }) => stays(type));
  return {
    zone,
    schemas: schemas.filter(({ name }) => types.some((type) => type.schema === name)),
    types,
    ...(stillClosed.length > 0 && { closed: stillClosed }),
    ...(stillOut.length > 0 && { shutOut: stillOut }),
  };
}

/** The schema that a type has once it is put; undefined where it names a schema that does not exist. */
export const schemaOfPut = (catalogue: ServiceTypes | undefined, { put, schema }: Pick<Put, 'put' | 'schema'>): ServiceSchema | undefined =>
  schema ?? [...builtInSchemas, ...(catalogue?.schemas ?? [])].find(({ name }) => name === put.schema);

function withPut(others: ServiceTypes, { put, schema, checked }: Put): Decision<ServiceTypes> | TypeRefused {
  const sharers = others.types.filter((type) => type.schema === put.schema).map((type) => type.name);
  const there = [...builtInSchemas, ...others.schemas].find((one) => one.name === put.schema);
  const isOwn = there && builtInSchemas.some((one) => one.name === there.name);
  if (schema && there && !isSame(schema, there) && (isOwn || sharers.length > 0))
    return refused(`the schema ${put.schema} also belongs to ${isOwn ? 'Muster' : sharers.join(', ')}: choose another name`);
  const used = schema ?? there;
  if (!used) return refused(`there is no schema ${put.schema}`, [{ pointer: '/schema', detail: `there is no schema ${put.schema}` }]);
  if (isOwnWork(put.serviceName)) return refused(`${put.serviceName} is the name of a service that Muster starts itself: choose another`);
  if (!checked || !isSame(checked.schema, used)) return refused(`the schema ${used.name} has changed meanwhile: put ${put.name} again`);
  const { faults } = checked;
  if (faults.length > 0) return refused(`type ${put.name} has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}`, faults);
  const schemas = schema && !isOwn ? byName([...without(others.schemas, schema.name), schema]) : others.schemas;
  const next = tidied({ ...others, schemas, types: byName([...others.types, put]) }, put.name);
  if (next.types.length > typesMax) return refused(`operators can put at most ${typesMax} types into a zone: delete one first`);
  if (Buffer.byteLength(JSON.stringify(next)) > typesTextMax)
    return refused(`the types of a zone take at most ${typesTextMax} bytes: delete one first`);
  return write<ServiceTypes, never>(next, `type ${put.name} put`);
}

/** A schema of a type, as text, with its place in the body of a call. */
type OwnSchema = { readonly at: string; readonly text: string };

/** All schemas of a type: of its configuration, its messages and its questions. */
function schemasOf({ type, schema }: Pick<CataloguedType, 'type' | 'schema'>): readonly OwnSchema[] {
  const of = (list: readonly { readonly data: string }[], what: string): OwnSchema[] =>
    list.map(({ data }, n) => ({ at: `/${what}/${n}/data`, text: data }));
  return [
    { at: '/schema/configuration', text: schema.configuration },
    ...of(type.messages, 'messages'),
    ...of(type.questions ?? [], 'questions'),
  ];
}

/**
 * Finds all faults in the schemas of a type, its configuration and its names, each with its place in the body of a
 * call. `check` makes the checks. The default configuration is not checked if the type gives none: each start may have
 * to give one.
 */
export async function faultsOfType(
  type: ServiceType,
  schema: ServiceSchema,
  check: (asked: Check) => Promise<Verdict>,
): Promise<readonly Fault[]> {
  const found: Fault[] = [];
  const add = (at: string, verdict: Verdict): void => {
    const faults = verdict.is === 'late' ? [{ pointer: '', detail: verdict.because }] : verdict.faults;
    found.push(...faults.map(({ pointer, detail }) => ({ pointer: `${at}${pointer}`, detail })));
  };
  for (const { at, text } of schemasOf({ type, schema })) {
    add(at, await check({ schema: text }));
    const isGiven = at === '/schema/configuration' && type.configuration !== noConfiguration && found.length === 0;
    if (isGiven) add('/configuration', await check({ schema: text, data: type.configuration }));
  }
  return [...found, ...twice(type.messages, 'message'), ...twice(type.questions ?? [], 'question'), ...unknownRelations(type, schema)];
}

/** A fault for each name that messages or questions of a type share. */
const twice = (list: readonly { readonly name: string }[], what: 'message' | 'question'): Fault[] =>
  list.flatMap(({ name }, n) =>
    list.findIndex((other) => other.name === name) < n
      ? [{ pointer: `/${what}s/${n}/name`, detail: `there is a ${what} ${name} above` }]
      : [],
  );

/** A fault for each relation that a rule of the type uses and its schema does not have. */
const unknownRelations = ({ questions = [] }: ServiceType, { name, relations }: ServiceSchema): Fault[] =>
  questions.flatMap(({ rule }, n) =>
    rule.is !== 'all' && rule.is !== 'any'
      ? []
      : rule.of.flatMap((condition, m) =>
          condition.is !== 'related' || relations.some((one) => one.name === condition.by)
            ? []
            : [{ pointer: `/questions/${n}/rule/of/${m}/by`, detail: `the schema ${name} has no relation ${condition.by}` }],
        ),
  );

/** The configuration of a type that was put without one. */
export const noConfiguration = '{}';
