import { part } from '../check/walk.ts';
import { convertProcess } from '../convert/processes.ts';
import type { RoleMap } from '../convert/role-map.ts';
import { type RoleDefect, Talk } from '../convert/talk.ts';
import type { MeroRole } from './mero-role.ts';

/**
 * The text in a role of a catalogue for each variable of the server in a role map; quoted where a template leaves that
 * to the value.
 */
const placeholders = {
  lnid: '{{ lnid }}',
  ...Object.fromEntries(['as', 'rss', 'stack', 'memlock'].map((one) => [`host_mem_${one}`, `"{{ host_mem_${one}? }}"`])),
  host_cores: ['"{{ host_cores? }}"'],
  multiplicity: '"{{ multiplicity }}"',
};

/**
 * The roles of a role map for a catalogue: rendered once, with each server's own values left open, and in the present
 * form. Or what is wrong: a map that needs other variables than those of a facts file can only be used for its
 * conversion.
 */
export async function rolesFromMap(map: RoleMap): Promise<readonly MeroRole[] | RoleDefect> {
  const rendered = await map.rolesWith(placeholders);
  if ('says' in rendered) return rendered;
  const talk = new Talk();
  return [...rendered].map(([name, content]): MeroRole => {
    const processes = content.map((process) => opened(convertProcess(part(process, [name]), talk).becomes));
    const isMultiplied = JSON.stringify(processes).includes('{{ multiplicity }}');
    return { name, ...(isMultiplied && { variables: { multiplicity: 1 } }), content: processes };
  });
}

/** A list of cores that is left open is not a list with one core. */
const opened = (process: Readonly<Record<string, unknown>>): MeroRole['content'][number] => {
  const cores = process['m0p_cores'];
  const isOpen = Array.isArray(cores) && cores.length === 1 && cores[0] === '{{ host_cores? }}';
  return { ...process, ...(isOpen && { m0p_cores: cores[0] }) } as MeroRole['content'][number];
};
