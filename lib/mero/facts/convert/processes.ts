import type { Path } from '../../../core/defect.ts';
import { type Part, part, text } from '../check/walk.ts';
import type { Talk } from './talk.ts';

type Fields = Record<string, unknown>;
/** A service of the old file, its new form, and the filter that selects its devices. */
export type ConvertedService = { readonly becomes: Fields; readonly usesDevices: boolean; readonly filter: unknown; readonly path: Path };
/** A process of the old file in its new form. */
export type ConvertedProcess = { readonly becomes: Fields; readonly services: readonly ConvertedService[] };

const copiedKeys = ['m0p_endpoint', 'm0p_mem_as', 'm0p_mem_rss', 'm0p_mem_stack', 'm0p_mem_memlock', 'm0p_cores'] as const;
const known: ReadonlySet<string> = new Set<string>([
  ...copiedKeys,
  'm0p_boot_level',
  'm0p_type',
  'm0p_services',
  'm0p_environment',
  'm0p_multiplicity',
]);

/**
 * Converts a process of any earlier form: `m0p_boot_level` becomes `m0p_type`. It does not check whether the process is
 * right.
 */
export function convertProcess(process: Part, talk: Talk): ConvertedProcess {
  const { value, path } = process;
  for (const key of Object.keys(value)) if (!known.has(key)) talk.note(`${key} of processes is not known and is left out`, path);
  const services = talk.items(process, 'm0p_services').map((service) => convertService(service, text(process, 'm0p_endpoint'), talk));
  const becomes = talk.made<Fields>(path, {
    ...Object.fromEntries(copiedKeys.filter((key) => value[key] !== undefined && value[key] !== null).map((key) => [key, value[key]])),
    m0p_type: typeOf(process, services, talk),
    m0p_services: services.map((service) => service.becomes),
  });
  const environment = environmentOf(process, talk);
  if (environment !== undefined) becomes['m0p_environment'] = environment;
  if (value['m0p_multiplicity'] !== undefined) becomes['m0p_multiplicity'] = value['m0p_multiplicity'];
  return { becomes, services };
}

const numbered: ReadonlyMap<unknown, Fields> = new Map([
  [-1, { tag: 'PLHalon', contents: [] }],
  [0, { tag: 'PLM0d', contents: 0 }],
  [1, { tag: 'PLM0d', contents: 1 }],
  [2, { tag: 'PLM0t1fs', contents: [] }],
]);

function typeOf({ value, path }: Part, services: readonly ConvertedService[], talk: Talk): unknown {
  const level = value['m0p_type'] ?? value['m0p_boot_level'];
  if (typeof level === 'object' && level !== null) return level;
  const type = numbered.get(level);
  if (type) {
    talk.note(`the boot level ${level} becomes the type ${type['tag']}${type['tag'] === 'PLM0d' ? ` ${type['contents']}` : ''}`, path);
    return type;
  }
  if (level !== undefined && level !== null) return level;
  const tags = services.map(({ becomes }) => tagOf(becomes));
  const [guessed, by] = typeBy(tags);
  talk.note(`a process without a boot level has the type ${guessed} because of ${by}`, path);
  return numbered.get(levelOf[guessed]);
}

const levelOf = { PLHalon: -1, 'PLM0d 0': 0, 'PLM0d 1': 1, PLM0t1fs: 2 } as const;
function typeBy(tags: readonly unknown[]): [keyof typeof levelOf, string] {
  if (tags.includes('CST_CONFD')) return ['PLM0d 0', 'its CST_CONFD'];
  const server = tags.find((tag) => typeof tag === 'string' && !['CST_HA', 'CST_RMS', 'CST_ADDB2'].includes(tag));
  if (server !== undefined) return ['PLM0d 1', `its ${server}`];
  return tags.includes('CST_HA') ? ['PLHalon', 'its CST_HA'] : ['PLM0t1fs', 'its CST_RMS alone'];
}

const tagOf = (service: Fields): unknown => (service['m0s_type'] as Fields | undefined)?.['tag'];
const serviceKeys: ReadonlySet<string> = new Set(['m0s_type', 'm0s_endpoints', 'm0s_params', 'm0s_pathfilter', 'm0s_devices']);

function convertService({ value, path }: Part, endpoint: string | undefined, talk: Talk): ConvertedService {
  for (const key of Object.keys(value)) if (!serviceKeys.has(key)) talk.note(`${key} of services is not known and is left out`, path);
  if (value['m0s_params'] !== undefined) talk.note('m0s_params is left out: a service no longer has any', path);
  const tag = renamed(part(value['m0s_type'], path), talk);
  const endpoints = value['m0s_endpoints'];
  const isOwn = Array.isArray(endpoints) && endpoints.every((one) => one === endpoint);
  if (endpoints !== undefined && !isOwn) talk.note('m0s_endpoints is left out: a service answers at the endpoint of its process', path);
  const filter = value['m0s_pathfilter'] ?? undefined;
  return {
    becomes: talk.made<Fields>(path, { m0s_type: { tag, contents: [] }, ...(isOwn && { m0s_endpoints: endpoints }) }),
    usesDevices: tag === 'CST_IOS' || filter !== undefined,
    filter,
    path,
  };
}

function renamed(type: Part, talk: Talk): unknown {
  const { tag, contents } = type.value;
  if (Array.isArray(contents) ? contents.length > 0 : contents !== undefined)
    talk.note(`contents of the type ${tag} is left out`, type.path);
  if (tag !== 'CST_MGS') return tag;
  talk.note('CST_MGS is now called CST_CONFD', type.path);
  return 'CST_CONFD';
}

/** The variables of a process. An earlier generator wrote the tags without their first two letters. */
function environmentOf({ value, path }: Part, talk: Talk): unknown {
  const environment = value['m0p_environment'];
  if (!Array.isArray(environment)) return environment ?? undefined;
  return environment.map((entry) => {
    if (!Array.isArray(entry) || entry.length !== 2) return entry;
    const { tag, contents } = part(entry[1], path).value;
    if (typeof tag !== 'string' || !tag.startsWith('PEnv')) return entry;
    talk.note(`${tag} is now called M0${tag}`, path);
    return [entry[0], { tag: `M0${tag}`, contents }];
  });
}
