import { methods } from './methods.ts';

/**
 * Whether a call changes common content: `common` does, `open` does not. `unknown` is a method that the table does not
 * have, in a namespace that changes common content.
 */
export type Judged = 'common' | 'open' | 'unknown';

/**
 * The header of an agent's answer to a call that it has not let through, since common content is locked on its server:
 * the call can be repeated.
 */
export const lockedHeader = 'muster-locked';

/** Methods that the server does not mark as reading only, and that change nothing. */
export const readsUnmarked: readonly string[] = [
  'activationkey.checkConfigDeployment',
  'admin.payg.getDetails',
  'admin.payg.list',
  'channel.org.list',
  'kickstart.profile.compareActivationKeys',
  'kickstart.profile.compareAdvancedOptions',
  'kickstart.profile.comparePackages',
  'kickstart.profile.system.checkConfigManagement',
  'kickstart.profile.system.checkRemoteCommands',
  'kickstart.profile.system.getRegistrationType',
  'kickstart.tree.list',
  'maintenance.getCalendarDetails',
  'maintenance.getScheduleDetails',
  'maintenance.listCalendarLabels',
  'maintenance.listScheduleNames',
  'maintenance.listSystemsWithSchedule',
  'packages.provider.list',
  'subscriptionmatching.pinnedsubscription.list',
];

/**
 * A name as a server matches it, and a little wider: it takes `create_key` for `createKey`. What is taken for a method
 * that changes common content must be every spelling that reaches it.
 */
const keyOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9.]/g, '');

const namespaceOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('.')));

/** The methods that change common content, by their full names. */
export const commonWrites: readonly string[] = [...methods]
  .filter(([name, forms]) => forms.some(({ routing }) => routing === 'CW') && !readsUnmarked.includes(name))
  .map(([name]) => name);

const known: ReadonlySet<string> = new Set([...methods.keys()].map(keyOf));
const common: ReadonlySet<string> = new Set(commonWrites.map(keyOf));

/** Namespaces with a method that changes common content, and two that servers have and do not document. */
const namespaces: ReadonlySet<string> = new Set([...commonWrites.map((name) => keyOf(namespaceOf(name))), 'taskomatic', 'taskomatic.org']);

/** A name that only reads, by the manner in which methods of a server are named. */
const reads = /\.(get|list|is|has|find|search|lookup|view|count|compare|export|diff)([A-Z_]\w*)?$/;

/** Whether a method only reads, by its name alone. */
export const readsByName = (name: string): boolean => reads.test(name);

/** Whether a call of this method changes common content; the name is as it was sent. */
export function judge(name: string): Judged {
  const key = keyOf(name);
  if (common.has(key)) return 'common';
  return known.has(key) || readsByName(name) || !namespaces.has(namespaceOf(key)) ? 'open' : 'unknown';
}

/**
 * The methods of a namespace that are sent to the JSON interface as calls that may write, and leave common content as
 * it is: without the namespace, sorted.
 */
export const openWritesIn = (namespace: string): readonly string[] =>
  [...methods]
    .filter(([name, forms]) => namespaceOf(name) === namespace && forms.some(({ reads: isRead }) => !isRead) && judge(name) === 'open')
    .map(([name]) => name.slice(namespace.length + 1))
    .sort();
