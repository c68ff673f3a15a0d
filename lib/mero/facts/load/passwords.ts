import { items, type Part, part, text } from '../check/walk.ts';
import type { Secret } from '../convert/sites.ts';

type Fields = Record<string, unknown>;

/**
 * Facts with the names of secrets in the place of passwords, whatever else may be wrong with them, and the passwords by
 * these names.
 */
export function withoutPasswords(facts: unknown): { readonly facts: unknown; readonly secrets: readonly Secret[] } {
  const secrets: Secret[] = [];
  const file = part(facts, []);
  const sites = items(file, 'id_sites').map((site) => ({
    ...site.value,
    ...over(site, 'site_racks', (rack) => ({
      ...rack.value,
      ...over(rack, 'rack_enclosures', (enclosure) => ({ ...enclosure.value, ...over(enclosure, 'enc_bmc', named(enclosure, secrets)) })),
    })),
  }));
  return { facts: Array.isArray(file.value['id_sites']) ? { ...file.value, id_sites: sites } : facts, secrets };
}

/** The list under a key with each item changed; nothing where there is no list. */
const over = (of: Part, key: string, change: (item: Part, n: number) => Fields): Fields =>
  Array.isArray(of.value[key]) ? { [key]: items(of, key).map(change) } : {};

/** Names contain the enclosure, as those of converted files do. */
const named = (enclosure: Part, secrets: Secret[]) => {
  const id = (text(enclosure, 'enc_id') ?? '').replaceAll(/[^\w.-]/g, '-').slice(0, 100) || '-';
  return (bmc: Part, n: number): Fields => {
    const password = bmc.value['bmc_pass'];
    if (typeof password !== 'string') return bmc.value;
    const name = `bmc/${id}/${n}`;
    secrets.push({ name, value: password });
    return { ...bmc.value, bmc_pass: { secret: name } };
  };
};
