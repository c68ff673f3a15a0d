import { type Part, text } from '../check/walk.ts';
import type { Talk } from './talk.ts';

/** A secret of the old file, and the name under which the new one refers to it. */
export type Secret = { readonly name: string; readonly value: string };
type Fields = Record<string, unknown>;

/** Sites of the new file. Facts about hosts are left out, and passwords become the names of secrets. */
export function convertSites(file: Part, secrets: Secret[], talk: Talk): Fields[] {
  if (file.value['id_racks'] === undefined)
    return talk.items(file, 'id_sites').map((site) =>
      talk.made<Fields>(site.path, {
        ...own(site, ['site_idx'], 'site_racks', talk),
        site_racks: talk.items(site, 'site_racks').map((rack) => convertRack(rack, secrets, talk)),
      }),
    );
  talk.note('id_racks becomes the one site 1', ['id_racks']);
  const site_racks = talk.items(file, 'id_racks').map((rack) => convertRack(rack, secrets, talk));
  return [talk.made(['id_racks'], { site_idx: 1, site_racks })];
}

/** The fields with these keys. Any key but those and the list is left out, with a note. */
export function own({ value, path }: Part, keys: readonly string[], list: string, talk: Talk): Fields {
  for (const key of Object.keys(value)) if (!keys.includes(key) && key !== list) talk.note(`${key} is not known and is left out`, path);
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]));
}

const convertRack = (rack: Part, secrets: Secret[], talk: Talk): Fields =>
  talk.made(rack.path, {
    ...own(rack, ['rack_idx'], 'rack_enclosures', talk),
    rack_enclosures: talk.items(rack, 'rack_enclosures').map((enclosure) => convertEnclosure(enclosure, secrets, talk)),
  });

function convertEnclosure(enclosure: Part, secrets: Secret[], talk: Talk): Fields {
  const id = text(enclosure, 'enc_id') ?? `enclosure-${enclosure.path.join('-')}`;
  const bmcs = talk.items(enclosure, 'enc_bmc').map((bmc, n) => {
    const password = bmc.value['bmc_pass'];
    if (typeof password !== 'string' && typeof password !== 'number') return bmc.value;
    const name = `bmc/${id.replaceAll(/[^\w.-]/g, '-').slice(0, 100) || '-'}/${n}`;
    secrets.push({ name, value: String(password) });
    talk.note('bmc_pass becomes the name of a secret', [...bmc.path, 'bmc_pass']);
    return talk.made(bmc.path, { ...bmc.value, bmc_pass: { secret: name } });
  });
  const { value, path } = enclosure;
  const rest = own({ value: without(value, ['enc_bmc']), path }, ['enc_idx', 'enc_id'], 'enc_hosts', talk);
  const hosts = talk.items(enclosure, 'enc_hosts').map((host) => convertHost(host, talk));
  return talk.made(path, { ...rest, ...(value['enc_bmc'] !== undefined && { enc_bmc: bmcs }), enc_hosts: hosts });
}

const without = (value: Readonly<Fields>, keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

function convertHost({ value, path }: Part, talk: Talk): Fields {
  for (const key of ['h_memsize', 'h_cpucount', 'h_interfaces'])
    if (value[key] !== undefined) talk.note(`${key} is left out: the host reports it with node-up`, path);
  const rest = without(value, ['h_memsize', 'h_cpucount', 'h_interfaces', 'h_halon']);
  const halon = value['h_halon'];
  if (typeof halon !== 'object' || halon === null) return talk.made(path, rest);
  const { address, ...others } = halon as Fields;
  if (address !== undefined) talk.note('h_halon.address is left out: the host reports it with node-up', path);
  return talk.made(path, { ...rest, h_halon: { ...others, roles: others['roles'] ?? [] } });
}
