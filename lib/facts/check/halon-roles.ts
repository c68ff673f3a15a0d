import type { Facts } from '../facts.ts';
import type { Defect } from './defect.ts';
import { nearest } from './nearest.ts';

/** The Halon roles that facts name and a catalogue does not have, each where it stands. */
export function defectsOfHalonRoles(facts: Pick<Facts, 'id_sites'>, catalogue: readonly { readonly name: string }[]): Defect[] {
  const known = catalogue.map(({ name }) => name);
  return facts.id_sites.flatMap(({ site_racks }, s) =>
    site_racks.flatMap(({ rack_enclosures }, r) =>
      rack_enclosures.flatMap(({ enc_hosts }, e) =>
        enc_hosts.flatMap(({ h_halon }, h) =>
          (h_halon?.roles ?? []).flatMap(({ name }, n): Defect[] => {
            if (known.includes(name)) return [];
            const near = nearest(name, known);
            const path = ['id_sites', s, 'site_racks', r, 'rack_enclosures', e, 'enc_hosts', h, 'h_halon', 'roles', n, 'name'];
            return [{ path, says: `there is no Halon role ${name}${near ? `; is ${near} meant?` : `: there are ${known.join(', ')}`}` }];
          }),
        ),
      ),
    ),
  );
}
