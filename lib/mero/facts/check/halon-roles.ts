import type { Defect } from '../../../core/defect.ts';
import { nearest } from '../../../core/nearest.ts';
import { items, part, text, under } from './walk.ts';

/** A role of a catalogue; only the name matters here. */
export type HalonRoleName = { readonly name: string };

/**
 * The Halon roles that facts name and a catalogue does not have, each at its path. The facts may have other defects.
 */
export function defectsOfHalonRoles(facts: unknown, catalogue: readonly HalonRoleName[]): Defect[] {
  const known = catalogue.map(({ name }) => name);
  const hosts = items(part(facts, []), 'id_sites')
    .flatMap((site) => items(site, 'site_racks'))
    .flatMap((rack) => items(rack, 'rack_enclosures'))
    .flatMap((enclosure) => items(enclosure, 'enc_hosts'));
  return hosts
    .flatMap((host) => items(under(host, 'h_halon'), 'roles'))
    .flatMap((role): Defect[] => {
      const name = text(role, 'name');
      if (name === undefined || known.includes(name)) return [];
      const near = nearest(name, known);
      const says = `there is no Halon role ${name}${near ? `; did you mean ${near}?` : `: there are ${known.join(', ')}`}`;
      return [{ path: [...role.path, 'name'], says }];
    });
}
