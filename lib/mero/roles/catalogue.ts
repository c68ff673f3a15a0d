import * as z from 'zod';
import { type Decision, nothing, write } from '../../core/decision.ts';
import { ZoneName } from '../../core/ids.ts';
import type { Ref } from '../../core/ref.ts';
import { defaultHalonRoles, HalonRole } from '../facts/roles/halon-role.ts';
import { defaultMeroRoles } from '../facts/roles/mero-defaults.ts';
import { MeroRole } from '../facts/roles/mero-role.ts';

/**
 * The roles that operators have put into a catalogue of a storage zone, over those that come with Muster. Each is
 * stored as the JSON that it came as: a table would refuse deep nesting, or a number out of its range.
 */
export const Catalogue = z.strictObject({ zone: ZoneName, roles: z.array(z.strictObject({ name: z.string(), json: z.string() })) });
export type Catalogue = z.infer<typeof Catalogue>;

/**
 * How many roles an operator may put, how long one may be and how long all of them, in characters of JSON: role maps of
 * the original have seven in 5 KB.
 */
export const putMax = 64;
export const roleTextMax = 32_768;
export const catalogueTextMax = 262_144;

/** The content of a catalogue: how a role is read, and those that come with Muster. */
export type RoleKind<R> = { readonly of: (json: unknown) => R; readonly defaults: () => readonly R[] };

/** The roles of Mero hosts: the processes that run there. */
export const meroRoles: RoleKind<MeroRole> = { of: (json) => MeroRole.parse(json), defaults: defaultMeroRoles };
/** The roles of Halon's hosts: whether they are stations, and their services. */
export const halonRoles: RoleKind<HalonRole> = { of: (json) => HalonRole.parse(json), defaults: defaultHalonRoles };

/** The origin of a role: it came with Muster, was put, or was put over one that came with Muster. */
export type RoleOrigin = 'muster' | 'put' | 'over';
/** A role and its origin. */
export type Catalogued<R> = { readonly role: R; readonly origin: RoleOrigin };

/** All roles of a catalogue: those that come with Muster in their order, then those that were put, by name. */
export function rolesIn<R extends { readonly name: string }>(kind: RoleKind<R>, catalogue: Catalogue | undefined): Catalogued<R>[] {
  const put = new Map((catalogue?.roles ?? []).map(({ name, json }) => [name, kind.of(JSON.parse(json))]));
  const usual = kind.defaults().map((role): Catalogued<R> => {
    const own = put.get(role.name);
    put.delete(role.name);
    return own ? { role: own, origin: 'over' } : { role, origin: 'muster' };
  });
  return [...usual, ...[...put.values()].map((role): Catalogued<R> => ({ role, origin: 'put' }))];
}

/** An order of an operator about a catalogue. */
export type CatalogueCommand = { readonly id: string; readonly zone: ZoneName } & (
  | { readonly type: 'put'; readonly name: string; readonly json: string }
  | { readonly type: 'delete'; readonly name: string }
);

/** Puts a role in the place of any role of that name, or deletes one that was put. */
export function decideCatalogue(catalogue: Catalogue | undefined, command: CatalogueCommand): Decision<Catalogue> {
  const { zone, name } = command;
  const before = catalogue?.roles ?? [];
  const others = before.filter((role) => role.name !== name);
  if (command.type === 'delete')
    return others.length === before.length
      ? nothing(`no role ${name} was put into the catalogue`)
      : write<Catalogue, never>({ zone, roles: others }, `role ${name} deleted`);
  const { json } = command;
  if (before.some((role) => role.name === name && role.json === json)) return nothing(`role ${name} has this content already`);
  if (json.length > roleTextMax) return nothing(`role ${name} is ${json.length} characters long, and at most ${roleTextMax} are allowed`);
  const roles = [...others, { name, json }].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (roles.length > putMax) return nothing(`a catalogue takes at most ${putMax} roles: delete one first`);
  if (roles.reduce((sum, role) => sum + role.json.length, 0) > catalogueTextMax)
    return nothing(`the roles of a catalogue take at most ${catalogueTextMax} characters: delete one first`);
  return write<Catalogue, never>({ zone, roles }, `role ${name} put`);
}

export type Noun = 'mero-roles' | 'halon-roles';

/** The row of a catalogue of a zone. */
export const catalogueRef = (noun: Noun, zone: string): Ref<Catalogue> => ({ noun, id: zone });
