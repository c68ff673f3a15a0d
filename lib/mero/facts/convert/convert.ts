import type { Defect } from '../../../core/defect.ts';
import { checkFacts } from '../check/check.ts';
import { host, items, type Part, part, text } from '../check/walk.ts';
import { distribute } from './devices.ts';
import { convertPools } from './pools.ts';
import { type ConvertedProcess, convertProcess } from './processes.ts';
import type { RoleMap, Roles } from './role-map.ts';
import { convertSites, type Secret } from './sites.ts';
import { type Note, type RoleDefect, Talk } from './talk.ts';

type Fields = Record<string, unknown>;

/**
 * A new file with notes on the changes, and the secrets of the old one; or all defects of the old file and of the role
 * map.
 */
export type Converted =
  | { readonly ok: true; readonly file: Fields; readonly notes: readonly Note[]; readonly secrets: readonly Secret[] }
  | { readonly ok: false; readonly defects: readonly Defect[]; readonly roleDefects: readonly RoleDefect[] };

/** The keys of a server that are no variables for templates. */
const sections = ['m0h_fqdn', 'm0h_roles', 'm0h_devices', 'm0h_processes'];
/** Variables that the new file keeps. */
const copiedVariables = ['lnid', 'host_mem_as', 'host_mem_rss', 'host_mem_stack', 'host_mem_memlock', 'host_cores'];
/** How many defects of templates are reported at most: each server has the same. */
const roleDefectsMax = 20;

/**
 * Converts a facts file of any earlier form to the present one, with the role map that belongs to it. `progress` is
 * called with how many of all servers are done.
 */
export async function convertFacts(
  old: unknown,
  roles: RoleMap,
  progress: (done: number, all: number) => void = () => undefined,
): Promise<Converted> {
  const talk = new Talk();
  const file = part(old, []);
  const secrets: Secret[] = [];
  const id_sites = convertSites(file, secrets, talk);
  const servers: Fields[] = [];
  const processes: ConvertedProcess[] = [];
  const given = talk.items(file, 'id_m0_servers');
  for (const server of given) {
    const own = await processesOf(server, roles, talk);
    distribute(server, own, talk);
    servers.push(serverWith(server, own, talk));
    processes.push(...own);
    progress(servers.length, given.length);
  }
  servers.push(...serversMissing(file, talk));
  const made = { id_sites, id_m0_servers: servers, ...convertPools(file, processes, talk) };
  const { defects, roleDefects } = talk;
  if (defects.length + roleDefects.length > 0) return { ok: false, defects, roleDefects };
  const checked = checkFacts(made);
  const inOld = ({ path, says }: Defect): Defect => byRole({ path: talk.originOf(made, path), says }, file);
  if (!checked.ok) return { ok: false, defects: checked.defects.map(inOld), roleDefects };
  return { ok: true, file: made, notes: [...talk.notes(), ...checked.remarks.map(inOld).map(asNote)], secrets };
}

const asNote = ({ says, path }: Defect): Note => ({ says, times: 1, first: path });

/** A defect in the old file; if a role brings the process, the defect names that role. */
function byRole({ path, says }: Defect, file: Part): Defect {
  const [, server, section, n] = path;
  if (section !== 'm0h_roles') return { path, says };
  const spec = items(items(file, 'id_m0_servers')[server as number]!, 'm0h_roles')[n as number]!;
  return { path, says: `${says} (in the role ${text(spec, 'name') ?? ''} of the role map)` };
}

/** The processes of a server: those in the server itself, and those of its roles, in the order of both. */
async function processesOf(server: Part, roles: RoleMap, talk: Talk): Promise<ConvertedProcess[]> {
  const inline = talk.items(server, 'm0h_processes').map((process) => convertProcess(process, talk));
  const rendered = new Map<string, Roles | undefined>();
  for (const spec of talk.items(server, 'm0h_roles')) {
    const overrides = part(spec.value['overrides'], spec.path).value;
    const key = JSON.stringify(overrides);
    // A map that does not render is reported once, not for each role of the server.
    if (!rendered.has(key)) rendered.set(key, await rolesFor(server, overrides, roles, talk));
    const those = rendered.get(key);
    if (!those) continue;
    const name = text(spec, 'name') ?? '';
    const content = those.get(name);
    if (content) inline.push(...content.map((process) => convertProcess(part(process, spec.path), talk)));
    else talk.defect([...spec.path, 'name'], `there is no role ${name} in the role map: ${[...those.keys()].join(', ')}`);
  }
  return inline;
}

async function rolesFor(server: Part, overrides: Readonly<Fields>, roles: RoleMap, talk: Talk): Promise<Roles | undefined> {
  const own = Object.entries(server.value).filter(([key]) => !sections.includes(key));
  const rendered = await roles.rolesWith({ ...Object.fromEntries(own), ...overrides });
  if (!('says' in rendered)) return rendered;
  const says = `${rendered.says}, for the server ${text(server, 'm0h_fqdn')}`;
  if (talk.roleDefects.length < roleDefectsMax) talk.roleDefects.push({ says, place: rendered.place });
  return undefined;
}

function serverWith({ value, path }: Part, processes: readonly ConvertedProcess[], talk: Talk): Fields {
  for (const key of Object.keys(value))
    if (!sections.includes(key) && !copiedVariables.includes(key)) talk.note(`the variable ${key} of servers is left out`, path);
  return talk.made(path, {
    m0h_fqdn: value['m0h_fqdn'],
    ...Object.fromEntries(copiedVariables.filter((key) => value[key] !== undefined && value[key] !== null).map((key) => [key, value[key]])),
    m0h_processes: processes.map(({ becomes }) => becomes),
  });
}

/** Servers for hosts without Mero processes, which older files have in the sites alone. */
function serversMissing(file: Part, talk: Talk): Fields[] {
  const there = new Set(items(file, 'id_m0_servers').map((server) => host(server, 'm0h_fqdn')));
  const racks = [...items(file, 'id_racks'), ...items(file, 'id_sites').flatMap((site) => items(site, 'site_racks'))];
  const hosts = racks.flatMap((rack) => items(rack, 'rack_enclosures').flatMap((enclosure) => items(enclosure, 'enc_hosts')));
  const missing = hosts.filter((one) => !there.has(host(one, 'h_fqdn')));
  for (const { path } of missing) talk.note('hosts without Mero processes are added to id_m0_servers', path);
  return missing.map(({ value, path }) => talk.made(path, { m0h_fqdn: value['h_fqdn'], m0h_processes: [] }));
}
