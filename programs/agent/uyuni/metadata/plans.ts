import { canonicalJson, inFieldOrder, isSameJson } from '../../../../lib/core/json.ts';
import type { Values } from '../api/server-api.ts';
import { type Channels, type CustomValues, type Formulas, type Note, placeFields, type Settings } from './documents.ts';

/** One call of the API that changes a system; `what` says what for, in words. */
export type Step = { readonly what: string; readonly method: string; readonly values: Values };
/** The calls that give a system what a document says, in order, and what this server lacks for the rest, in words. */
export type Plan = { readonly steps: readonly Step[]; readonly missing: readonly string[] };

const without = <T>(all: readonly T[], some: readonly T[]): T[] => all.filter((one) => !some.includes(one));
const when = (is: boolean, step: Step): Step[] => (is ? [step] : []);

/** What of the wanted channels a server has: the base channel, and children of it. */
export type KnownChannels = { readonly hasBase: boolean; readonly children: readonly string[] };

/** By calls that take effect at once: while an action is scheduled, the old channels would be reported. */
export function planChannels(sid: number, has: Channels, wanted: Channels, { hasBase, children }: KnownChannels): Plan {
  const { base } = wanted;
  if (base !== null && !hasBase) return { steps: [], missing: [`the base channel ${base}`] };
  const there = wanted.children.filter((label) => children.includes(label));
  const isOther = has.base !== base;
  return {
    steps: [
      ...when(isOther, {
        what: base === null ? 'leave the base channel' : `subscribe to the base channel ${base}`,
        method: 'system.setBaseChannel',
        values: { sid, channelLabel: base ?? '' },
      }),
      // A server chooses children of its own for another base channel.
      ...when(base !== null && (isOther || !isSameJson(has.children, there)), {
        what: 'subscribe to the child channels',
        method: 'system.setChildChannels',
        values: { sid, channelIdsOrLabels: there },
      }),
    ],
    missing: without(wanted.children, there).map((label) => `the channel ${label}`),
  };
}

/** A group that the server lacks is made, and the system leaves those that the document does not name. */
export function planGroups(sid: number, has: readonly string[], wanted: readonly string[], known: readonly string[]): Plan {
  const member = (name: string, add: boolean): Step => ({
    what: `${add ? 'join' : 'leave'} the group ${name}`,
    method: 'systemgroup.addOrRemoveSystems',
    values: { systemGroupName: name, serverIds: [sid], add },
  });
  const joins = without(wanted, has);
  return {
    steps: [
      ...without(joins, known).map((name) => ({
        what: `make the group ${name}`,
        method: 'systemgroup.create',
        values: { name, description: name },
      })),
      ...joins.map((name) => member(name, true)),
      ...without(has, wanted).map((name) => member(name, false)),
    ],
    missing: [],
  };
}

/** Notes are added and never deleted: somebody wrote them. A note that is there twice is wanted twice. */
export function planNotes(sid: number, has: readonly Note[], wanted: readonly Note[]): Plan {
  return {
    steps: beyond(wanted, has).map(({ subject, text }) => ({
      what: `add the note “${subject}”`,
      method: 'system.addNote',
      values: { sid, subject, body: text },
    })),
    missing: [],
  };
}

/** What of some is not among others, counting those that are the same. */
export function beyond<T>(some: readonly T[], others: readonly T[]): T[] {
  const left = new Map<string, number>();
  for (const one of others) left.set(canonicalJson(one), (left.get(canonicalJson(one)) ?? 0) + 1);
  return some.filter((one) => {
    const n = left.get(canonicalJson(one)) ?? 0;
    left.set(canonicalJson(one), n - 1);
    return n <= 0;
  });
}

/** A key that the server lacks is made, and values that the document does not name are removed. */
export function planCustomValues(sid: number, has: CustomValues, wanted: CustomValues, keys: readonly string[]): Plan {
  const differing = Object.entries(wanted).filter(([label, value]) => has[label] !== value);
  const ended = without(Object.keys(has), Object.keys(wanted));
  return {
    steps: [
      ...without(
        differing.map(([label]) => label),
        keys,
      ).map((label) => ({
        what: `make the custom key ${label}`,
        method: 'system.custominfo.createKey',
        values: { keyLabel: label, keyDescription: label },
      })),
      ...when(differing.length > 0, {
        what: 'set the custom values',
        method: 'system.setCustomValues',
        values: { sid, values: Object.fromEntries(differing) },
      }),
      ...when(ended.length > 0, {
        what: 'remove custom values',
        method: 'system.deleteCustomValues',
        values: { sid, keys: ended },
      }),
    ],
    missing: [],
  };
}

/** Formulas that the server has not installed cannot be given. */
export function planFormulas(systemId: number, has: Formulas, wanted: Formulas, installed: readonly string[]): Plan {
  const names = Object.keys(wanted).filter((name) => installed.includes(name));
  return {
    steps: [
      ...when(!isSameJson(Object.keys(has).toSorted(), names.toSorted()), {
        what: 'set the formulas',
        method: 'formula.setFormulasOfServer',
        values: { systemId, formulas: names },
      }),
      ...names
        .filter((formulaName) => !isSameJson(has[formulaName] ?? {}, wanted[formulaName]))
        .map((formulaName) => ({
          what: `set the data of the formula ${formulaName}`,
          method: 'formula.setSystemFormulaData',
          values: { systemId, formulaName, content: inFieldOrder(wanted[formulaName]) },
        })),
    ],
    missing: without(Object.keys(wanted), names).map((name) => `the formula ${name}`),
  };
}

/** Configuration channels in their order, as far as the server has them. */
export function planConfigurationChannels(sid: number, has: readonly string[], wanted: readonly string[], known: readonly string[]): Plan {
  const there = wanted.filter((label) => known.includes(label));
  return {
    steps: when(!isSameJson(has, there), {
      what: 'set the configuration channels',
      method: 'system.config.setChannels',
      values: { sids: [sid], configChannelLabels: there },
    }),
    missing: without(wanted, there).map((label) => `the configuration channel ${label}`),
  };
}

/** The fields that differ: details by one call, the lock and entitlements by their own. */
export function planSettings(sid: number, has: Settings, wanted: Settings): Plan {
  const { name, description, autoErrataUpdate, contactMethod, place, locked, entitlements } = wanted;
  const details = Object.fromEntries([
    ...differing(
      { profile_name: name, description, contact_method: contactMethod, auto_errata_update: autoErrataUpdate },
      {
        profile_name: has.name,
        description: has.description,
        contact_method: has.contactMethod,
        auto_errata_update: has.autoErrataUpdate,
      },
    ),
    ...(place ? differing(wholePlace(place), wholePlace(has.place ?? {})) : []),
  ]);
  const { entitlements: had = [] } = has;
  const [added, ended] = [without(entitlements ?? [], had), entitlements ? without(had, entitlements) : []];
  return {
    steps: [
      ...when(Object.keys(details).length > 0, { what: 'set the details', method: 'system.setDetails', values: { sid, details } }),
      ...when(added.length > 0, {
        what: `add the entitlements ${added.join(', ')}`,
        method: 'system.addEntitlements',
        values: { sid, entitlements: added },
      }),
      ...when(ended.length > 0, {
        what: `remove the entitlements ${ended.join(', ')}`,
        method: 'system.removeEntitlements',
        values: { sid, entitlements: ended },
      }),
      ...when(locked !== undefined && locked !== has.locked, {
        what: locked ? 'lock it' : 'unlock it',
        method: 'system.setLockStatus',
        values: { sid, lockStatus: locked },
      }),
    ],
    missing: [],
  };
}

/** A place with every field, so that one that is empty in a document is emptied. */
const wholePlace = (place: NonNullable<Settings['place']>): Values =>
  Object.fromEntries(placeFields.map((field) => [field, place[field] ?? '']));

const differing = (wanted: Values, has: Values): [string, unknown][] =>
  Object.entries(wanted).filter(([field, value]) => value !== undefined && value !== has[field]);
