/**
 * What the values of a field are, and so how they are written: names and keywords are globs or patterns; `open` ones
 * are text that may be numbers; `hex` and `mac` are hex digits; a choice is one of a list; a moment is a date or an
 * age.
 */
export type ValueKind = 'name' | 'keyword' | 'open' | 'hex' | 'mac' | 'choice' | 'number' | 'bytes' | 'moment' | 'network';

/** A word that stands for a value, and other spellings of it. */
export type Choice = { readonly value: string; readonly also: readonly string[] };

/** A field that terms can test. */
export type Field = {
  /** Its canonical name, which is in the tree. Of a family, such as `grain`, a dot and a key of the caller's follow. */
  readonly name: string;
  readonly kind: ValueKind;
  /** Other names that are read as this one. */
  readonly aliases: readonly string[];
  /** What a value is called in a sentence. */
  readonly label: string;
  /** One line for help, documents and completion. */
  readonly says: string;
  readonly example: string;
  /** The words that it takes: all that a choice takes, and besides its values for any other kind. */
  readonly values: readonly Choice[];
  /** The words that it takes of other things than client systems, which `kind:` asks for. */
  readonly others: readonly Choice[];
  /** Upper and lower case are the same in its values. */
  readonly folds: boolean;
  /** Salt's grains that hold the same. */
  readonly grains: readonly string[];
  /** What follows the dot of a family: `<key>`. */
  readonly key?: string;
};

type Given = Pick<Field, 'name' | 'kind' | 'says' | 'example'> & Partial<Field>;

const field = (given: Given): Field => ({ aliases: [], label: given.name, values: [], others: [], folds: false, grains: [], ...given });
const choices = (...words: readonly (string | readonly [string, ...string[]])[]): readonly Choice[] =>
  words.map((word) => {
    const [value, ...also] = typeof word === 'string' ? ([word] as const) : word;
    return { value, also };
  });

/** Every field, in the order in which help and documents list them. */
export const fields: readonly Field[] = [
  field({
    ...{ name: 'name', kind: 'name', folds: true, aliases: ['fqdn', 'host', 'hostname'], grains: ['fqdn', 'host', 'nodename'] },
    says: 'The name of the machine: its first label, or the whole of it. A word without a field is one',
    example: 'web*.acme.org',
  }),
  field({ name: 'tag', kind: 'keyword', aliases: ['tags'], says: 'A tag', example: 'tag:db,cache' }),
  field({ name: 'group', kind: 'keyword', aliases: ['groups'], says: 'A group', example: 'group:eu-*' }),
  field({ name: 'zone', kind: 'keyword', says: 'The zone', example: 'zone:hamburg' }),
  field({ name: 'node', kind: 'name', folds: true, says: 'The node that it lives on, by name or id', example: 'node:n7.acme.org' }),
  field({
    ...{ name: 'status', kind: 'choice', values: choices(['new', '0'], ['onboarded', '1'], ['orphan', '2'], ['deleted', '3']) },
    others: choices(
      ...['absent', 'waiting', 'joining', 'up', 'suspect', 'down', 'leaving', 'dropped', 'quarantined', 'admitted', 'rejected'],
      ...['unknown', 'offline', 'starting', 'online', 'quiescing', 'stopping', 'failed', 'inhibited'],
    ),
    says: 'Its status, by name or by its digit in the protocol',
    example: 'status:new,orphan',
  }),
  field({
    ...{ name: 'silent', kind: 'moment', values: choices('yes', 'no'), label: 'silent since' },
    says: 'Whether it has fallen silent, or for how long it has been',
    example: 'silent:>7d',
  }),
  field({
    ...{ name: 'copied', kind: 'moment', values: choices('yes', 'no'), label: 'copied since' },
    says: 'Whether two machines run with its key, or since when that is known',
    example: 'copied:yes',
  }),
  field({
    ...{ name: 'fp', kind: 'hex', aliases: ['id', 'fingerprint'], label: 'fingerprint' },
    says: 'Its fingerprint, with or without colons; fewer than 64 digits are its beginning',
    example: 'fp:3f:9a:07',
  }),
  field({
    ...{ name: 'cluster-id', kind: 'number', label: 'cluster id' },
    says: 'Its id for tools of Uyuni, over all servers',
    example: 'cluster-id:1500000017',
  }),
  field({
    name: 'minion',
    kind: 'name',
    folds: true,
    grains: ['id'],
    label: 'minion id',
    says: 'The id of its Salt minion',
    example: 'minion:web*',
  }),
  field({
    ...{ name: 'ip', kind: 'network', aliases: ['cidr', 'address'], label: 'address' },
    says: 'An address of it, by itself, in a network, or in a range',
    example: 'ip:10.0.0.0/8,2001:db8::/32',
  }),
  field({ name: 'mac', kind: 'mac', label: 'MAC address', says: 'A hardware address of it', example: 'mac:52:54:00:*' }),
  field({
    ...{ name: 'os', kind: 'keyword', folds: true, grains: ['os'], label: 'operating system' },
    says: 'Its operating system',
    example: 'os:SLES*',
  }),
  field({
    name: 'kernel',
    kind: 'keyword',
    folds: true,
    grains: ['kernelrelease'],
    says: 'The release of its kernel',
    example: 'kernel:6.4.*',
  }),
  field({
    ...{ name: 'arch', kind: 'keyword', folds: true, grains: ['osarch', 'cpuarch'], label: 'architecture' },
    says: 'Its architecture',
    example: 'arch:aarch64',
  }),
  field({
    name: 'cpu',
    kind: 'number',
    aliases: ['cpus'],
    label: 'number of processors',
    says: 'How many processors it has',
    example: 'cpu:>=16',
  }),
  field({ name: 'ram', kind: 'bytes', aliases: ['memory'], label: 'memory', says: 'Its memory', example: 'ram:>=16GiB' }),
  field({
    ...{ name: 'machine', kind: 'keyword', folds: true, aliases: ['machine-id'], grains: ['machine_id'], label: 'machine id' },
    says: 'Its machine id',
    example: 'machine:4c4c4544*',
  }),
  field({
    ...{ name: 'pinned', kind: 'name', folds: true, values: choices('yes', 'no'), label: 'pin' },
    says: 'Whether it is pinned, or the node that it is pinned to',
    example: 'pinned:n7.acme.org',
  }),
  field({ name: 'seen', kind: 'moment', aliases: ['checkin'], label: 'last seen', says: 'When it was last seen', example: 'seen:>7d' }),
  field({
    ...{ name: 'registered', kind: 'moment', label: 'registered' },
    says: 'When it first called in',
    example: 'registered:2026-10',
  }),
  field({
    ...{ name: 'accepted-by', kind: 'keyword', folds: true, label: 'accepted by' },
    says: 'Who accepted it: a person, a key, a token or a rule',
    example: 'accepted-by:joe@acme.org',
  }),
  field({
    name: 'custom',
    kind: 'open',
    folds: true,
    key: '<key>',
    label: 'custom value',
    says: 'A custom value',
    example: 'custom.rack:a12',
  }),
  field({ name: 'grain', kind: 'open', folds: true, key: '<key>', says: 'A grain of its Salt minion', example: 'grain.num_gpus:>=2' }),
  field({
    ...{ name: 'meta', kind: 'open', folds: true, key: '<kind>.<path>', label: 'metadata' },
    says: 'A value in a document of its metadata',
    example: 'meta.channels.base:sles15*',
  }),
  field({
    ...{ name: 'kind', kind: 'choice', values: choices('system', 'node', 'service', 'process', 'host') },
    says: 'What is searched for; client systems, unless a term says otherwise',
    example: 'kind:node',
  }),
];

const byName: ReadonlyMap<string, Field> = new Map(fields.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one] as const)));

/** The longest key after the dot of a family, in characters. */
const keyMax = 128;
const keys = /^[\w./-]+$/;
/** As in lib/core/ids.ts: a kind of document, then a path into it. */
const metaKeys = /^[a-z][a-z0-9-]{0,31}(\.[\w/-][\w./-]*)?$/;

/** A field as it was named: `name` is the canonical one, with the key of a family. */
export type NamedField = { readonly field: Field; readonly name: string };

/** The field of a name in any case, or undefined: `TAGS` is `tag`, and `grain.os` is the grain `os`. */
export function fieldNamed(written: string): NamedField | undefined {
  const dot = written.indexOf('.');
  const head = (dot === -1 ? written : written.slice(0, dot)).toLowerCase();
  const found = byName.get(head);
  const key = dot === -1 ? undefined : written.slice(dot + 1);
  if (!found || (found.key === undefined) !== (key === undefined)) return undefined;
  if (key === undefined) return { field: found, name: found.name };
  const isKey = key.length <= keyMax && (found.name === 'meta' ? metaKeys : keys).test(key);
  return isKey ? { field: found, name: `${found.name}.${key}` } : undefined;
}

/** The field of a name that is in the table. Throws an Error for any other name. */
export function knownField(name: string): NamedField {
  const named = fieldNamed(name);
  if (!named) throw new Error(`there is no field ${name}`);
  return named;
}

/** Every word that can name a field, canonical or not. Of a family it is what comes before the dot. */
export const fieldWords: readonly string[] = [...byName.keys()];

/** The field that holds the same as a grain of Salt: one of the table, or `grain.<key>`. */
export function fieldOfGrain(grain: string): NamedField | undefined {
  const known = fields.find(({ grains }) => grains.includes(grain));
  return known ? { field: known, name: known.name } : fieldNamed(`grain.${grain}`);
}

/** How a field is written in help: `tag:`, `grain.<key>:`. */
export const writtenAs = ({ name, key }: Field): string => (key === undefined ? `${name}:` : `${name}.${key}:`);
