import { isHeld, refusalOf, type Waiting } from './groups.ts';

/** What makes a machine that waits worth a second look. */
export const oddities = {
  held: { title: 'held', is: isHeld },
  shared: {
    title: 'machine id or name comes twice',
    is: (system: Waiting) => (system.sameMachineId !== undefined || system.sameName !== undefined) && !isHeld(system),
  },
  unsigned: { title: 'never signed', is: ({ unsigned }: Waiting) => unsigned === true },
  refused: { title: 'token refused', is: (system: Waiting) => refusalOf(system) !== undefined },
} as const;
export type Oddity = keyof typeof oddities;

/** An oddity by its name in the address; undefined for any other text. */
export const oddityIn = (text: string | undefined): Oddity | undefined =>
  text !== undefined && Object.hasOwn(oddities, text) ? (text as Oddity) : undefined;

/** How many there are of each oddity; those that are on nothing are left out. */
export function odd(items: readonly Waiting[]): { readonly oddity: Oddity; readonly title: string; readonly n: number }[] {
  return Object.entries(oddities)
    .map(([oddity, { title, is }]) => ({ oddity: oddity as Oddity, title, n: items.filter(is).length }))
    .filter(({ n }) => n > 0);
}

/**
 * Those in which every word is found: in the name, the zone, a suggested tag, the machine id, the id of the minion, or
 * at the beginning of a fingerprint, with colons or without.
 */
export function filtered(items: readonly Waiting[], text: string, only: Oddity | undefined): readonly Waiting[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const some = only === undefined ? items : items.filter(oddities[only].is);
  return words.length === 0 ? some : some.filter((system) => words.every((word) => has(system, word)));
}

function has({ fp, fqdn, zone, machineId, suggestedTags, minion }: Waiting, word: string): boolean {
  const digits = word.replaceAll(':', '');
  if (digits !== '' && (fp.startsWith(digits) || minion?.fingerprint.replaceAll(':', '').startsWith(digits))) return true;
  return [fqdn, zone ?? '', machineId, minion?.id ?? '', ...suggestedTags].some((text) => text.toLowerCase().includes(word));
}
