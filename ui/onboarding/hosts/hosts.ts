import type { Reply } from '../../api/call.ts';

/** A host that asked to be a node, as the API shows it. */
export type Host = Reply<'listNodePool'>['items'][number];
/** Hosts with which the same is done. */
export type HostGroup = { readonly id: Standing; readonly title: string; readonly hint: string; readonly items: readonly Host[] };
type Standing = Host['standing'] | 'dropped';

const names = new Intl.Collator('en', { numeric: true });

/** The groups in their order: what an operator has to decide comes first. */
const standings: readonly (readonly [Standing, string, string])[] = [
  ['waiting', 'Ask to be nodes', 'no token or rule admits them'],
  ['dropped', 'Were nodes, and ask to come back', 'they were given up, and have flushed what they had'],
  ['admitted', 'Admitted', 'each becomes a node with its next call, within a minute'],
  ['rejected', 'Rejected', 'they stay out until they are admitted, or bring a newer token'],
];

const standingOf = ({ standing, dropped }: Host): Standing => (standing === 'waiting' && dropped ? 'dropped' : standing);

/** Hosts by what becomes of them, each group in the order of names; groups without any are left out. */
export function hostGroups(hosts: readonly Host[]): HostGroup[] {
  const by = Map.groupBy(hosts, standingOf);
  return standings.flatMap(([id, title, hint]) => {
    const items = by.get(id)?.toSorted((a, b) => names.compare(a.fqdn, b.fqdn) || names.compare(a.fp, b.fp));
    return items === undefined ? [] : [{ id, title, hint, items }];
  });
}

/** Hosts in which every word is found: in name, zone, kind or address, or as the beginning of the fingerprint. */
export function filteredHosts(hosts: readonly Host[], text: string): readonly Host[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ fp, fqdn, zone, kind, source, watch }: Host, word: string): boolean =>
    fp.startsWith(word.replaceAll(':', '')) || [fqdn, zone ?? '', kind, source, watch].some((one) => one.toLowerCase().includes(word));
  return words.length === 0 ? hosts : hosts.filter((host) => words.every((word) => has(host, word)));
}

/** Why an order about a host was not carried out. `needs`: with this option it would be. */
export type NotDone = { readonly because: string; readonly needs: 'anyWatch' | undefined };
type Results = Reply<'admitHosts'>['results'];

/** A call takes so many hosts at most. */
export const hostsAtOnce = 100;

/** How many of an order were carried out, and why the others were not, by their fingerprints. */
export const doneOf = (results: Results): { readonly done: number; readonly not: readonly (readonly [string, NotDone])[] } => ({
  done: results.filter(({ done }) => done).length,
  not: results.filter(({ done }) => !done).map(({ host, because, needs }) => [host, { because, needs }]),
});
