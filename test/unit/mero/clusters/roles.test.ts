import { describe, expect, it } from 'vitest';
import { defectsOfHalonRoles } from '../../../../lib/mero/facts/check/halon-roles.ts';
import type { Facts } from '../../../../lib/mero/facts/facts.ts';
import {
  type Catalogue,
  catalogueTextMax,
  decideCatalogue,
  halonRoles,
  meroRoles,
  putMax,
  rolesIn,
  roleTextMax,
} from '../../../../lib/mero/roles/catalogue.ts';
import { roleOf, tier1 } from '../processes/some.ts';

const put = (catalogue: Catalogue | undefined, name: string, json: string) =>
  decideCatalogue(catalogue, { type: 'put', id: 'c1', zone: tier1, name, json });
const withRole = (catalogue: Catalogue | undefined, name: string, json: string): Catalogue => {
  const decision = put(catalogue, name, json);
  return decision.does === 'write' ? decision.next : catalogue!;
};

describe('a catalogue of roles', () => {
  it('has those that come with Muster, and over them what operators put', () => {
    const own = { ...roleOf('confd'), variables: { site: 'north' } };
    const extra = { ...roleOf('confd'), name: 'a-client' };
    const catalogue = withRole(withRole(undefined, 'confd', JSON.stringify(own)), 'a-client', JSON.stringify(extra));

    const roles = rolesIn(meroRoles, catalogue);

    expect(rolesIn(meroRoles, undefined).map(({ role }) => role.name)).toEqual([
      'ha',
      'confd',
      'mds',
      'storage',
      'm0t1fs',
      'clovis-app',
      's3server',
    ]);
    expect(roles.map(({ role, origin }) => `${role.name} ${origin}`)).toEqual([
      ...[
        'ha muster',
        'confd over',
        'mds muster',
        'storage muster',
        'm0t1fs muster',
        'clovis-app muster',
        's3server muster',
        'a-client put',
      ],
    ]);
    expect(roles[1]!.role).toEqual(own);
    expect(rolesIn(halonRoles, undefined)[0]).toEqual({ role: { name: 'station', station: true, services: [] }, origin: 'muster' });
  });

  it('gives back the role of Muster when the one that was put is deleted, and says once what is so already', () => {
    const catalogue = withRole(undefined, 'confd', '{"name":"confd"}');

    expect(put(catalogue, 'confd', '{"name":"confd"}').does).toBe('nothing');
    expect(decideCatalogue(catalogue, { type: 'delete', id: 'c2', zone: tier1, name: 'confd' })).toMatchObject({
      does: 'write',
      next: { roles: [] },
    });
    expect(decideCatalogue(undefined, { type: 'delete', id: 'c2', zone: tier1, name: 'confd' }).does).toBe('nothing');
  });

  it('is bounded in number and length', () => {
    let catalogue: Catalogue | undefined;
    for (let n = 0; n < putMax; n++) catalogue = withRole(catalogue, `r${n}`, '{}');

    expect(put(catalogue, 'one-more', '{}')).toMatchObject({ does: 'nothing', because: expect.stringContaining('at most 64 roles') });
    expect(put(undefined, 'long', 'x'.repeat(roleTextMax + 1)).does).toBe('nothing');
    let full: Catalogue | undefined;
    for (let n = 0; n < catalogueTextMax / roleTextMax; n++) full = withRole(full, `r${n}`, 'x'.repeat(roleTextMax));
    expect(put(full, 'one-more', '{}')).toMatchObject({ does: 'nothing', because: expect.stringContaining('262144 characters') });
  });
});

describe('the Halon roles that facts name', () => {
  it('are those of the catalogue, and any other is told with its place', () => {
    const host = (name: string) => ({ h_fqdn: 'ssu1.acme.org', h_halon: { roles: [{ name }] } });
    const facts = {
      id_sites: [
        {
          site_idx: 1,
          site_racks: [{ rack_idx: 1, rack_enclosures: [{ enc_idx: 1, enc_id: 'e', enc_hosts: [host('station'), host('statoin')] }] }],
        },
      ],
    };

    expect(
      defectsOfHalonRoles(
        facts as unknown as Facts,
        rolesIn(halonRoles, undefined).map(({ role }) => role),
      ),
    ).toEqual([
      {
        path: ['id_sites', 0, 'site_racks', 0, 'rack_enclosures', 0, 'enc_hosts', 1, 'h_halon', 'roles', 0, 'name'],
        says: 'there is no Halon role statoin; did you mean station?',
      },
    ]);
  });
});
