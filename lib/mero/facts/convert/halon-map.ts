import type { Defect } from '../../../core/defect.ts';
import { named, repeated } from '../check/unique.ts';
import { type Part, part } from '../check/walk.ts';
import { HalonRole } from '../roles/halon-role.ts';
import { own, type Secret } from './sites.ts';
import { type Note, Talk } from './talk.ts';

/**
 * The roles of a map of the original, with notes on the changes and the secrets of the map; or all defects of the map.
 */
export type HalonMap =
  | { readonly ok: true; readonly roles: readonly HalonRole[]; readonly notes: readonly Note[]; readonly secrets: readonly Secret[] }
  | { readonly ok: false; readonly defects: readonly Defect[] };

type Service = HalonRole['services'][number];
type Value = Service['configuration'][string];

/** The full names of options of the original's services. */
const longNames: Readonly<Record<string, string>> = { u: 'username', p: 'password' };
/** Options with secret values. */
const secret = /pass|secret|token|credential/i;

/** Whether a file holds a map of Halon roles as the original had them, and not roles of a catalogue. */
export const isHalonMap = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => ['h_bootstrap_station', 'h_services'].some((key) => Object.hasOwn(part(one, []).value, key)));

/** Makes roles of a catalogue from a map of the original. Passwords in its command lines become names of secrets. */
export function convertHalonMap(value: readonly unknown[]): HalonMap {
  const talk = new Talk();
  const secrets: Secret[] = [];
  const parts = value.map((one, n) => part(one, [n]));
  const roles = parts.map((role) => roleOf(role, secrets, talk));
  talk.defects.push(...repeated('role', named(parts, 'name')));
  for (const [n, role] of roles.entries())
    for (const { path, message } of HalonRole.safeParse(role).error?.issues ?? []) talk.defect([n, ...path], message);
  return talk.defects.length > 0
    ? { ok: false, defects: talk.defects }
    : { ok: true, roles: roles as HalonRole[], notes: talk.notes(), secrets };
}

function roleOf(role: Part, secrets: Secret[], talk: Talk): unknown {
  const {
    h_bootstrap_station: station = false,
    h_services: commands = [],
    name,
  } = own(role, ['name', 'h_bootstrap_station', 'h_services'], '', talk);
  if (typeof station !== 'boolean') talk.defect([...role.path, 'h_bootstrap_station'], 'it must be true or false');
  if (!Array.isArray(commands)) talk.defect([...role.path, 'h_services'], 'it must be a list');
  const services = (Array.isArray(commands) ? commands : []).flatMap((command: unknown, n): Service[] => {
    const path = [...role.path, 'h_services', n];
    const read = typeof command === 'string' ? readCommand(command) : 'it must be a command, such as "ping start"';
    if (typeof read === 'string') {
      talk.defect(path, read);
      return [];
    }
    const before = secrets.length;
    const configuration = withoutSecrets(read, `halon/${String(name)}/${n}`, secrets);
    if (secrets.length > before) talk.note('a password becomes the name of a secret', path);
    return [{ ...read, configuration }];
  });
  return { name, station: station === true, services };
}

/**
 * A service as a command starts it, such as `ping start --every 5`; or what is wrong with the command. The message
 * quotes none of it: it may contain a password.
 */
function readCommand(command: string): Service | string {
  const words = wordsOf(command);
  if (!words) return 'a quote in it is not closed';
  const [type, verb, ...options] = words;
  if (type === undefined || verb !== 'start') return 'it must be a command that starts a service, such as "ping start"';
  const configuration: Record<string, Value> = {};
  for (let at = 0; at < options.length; at++) {
    const [, name, given] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(options[at]!) ?? [];
    if (name === undefined) return `its ${ordinal(at)} word after start belongs to no option`;
    const next = options[at + 1];
    const isFlag = given === undefined && (next === undefined || /^--?[A-Za-z]/.test(next));
    if (given === undefined && !isFlag) at += 1;
    add(configuration, longNames[name] ?? name, isFlag ? true : (given ?? next!));
  }
  return { type, configuration };
}

const ordinal = (index: number): string => `${index + 1}.`;

/** Adds an option. An option that is given again has all its values. */
function add(configuration: Record<string, Value>, name: string, value: string | true): void {
  const before = Object.hasOwn(configuration, name) ? configuration[name] : undefined;
  configuration[name] = before === undefined ? value : [before, value].flat();
}

/** The words of a command as a shell tells them apart; undefined where a quote is not closed. */
function wordsOf(command: string): string[] | undefined {
  const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  if (/["']/.test(command.replaceAll(word, ''))) return undefined;
  return (command.match(word) ?? []).map((one) =>
    one.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}

function withoutSecrets({ type, configuration }: Service, where: string, secrets: Secret[]): Service['configuration'] {
  return Object.fromEntries(
    Object.entries(configuration).map(([key, value]) => {
      if (!secret.test(key)) return [key, value];
      const hidden = (one: Value, name: string): Value => {
        if (typeof one !== 'string') return one;
        secrets.push({ name, value: one });
        return { secret: name };
      };
      const name = `${where}-${type}/${key}`;
      return [key, Array.isArray(value) ? value.map((one, n) => hidden(one, `${name}/${n}`)) : hidden(value, name)];
    }),
  );
}
