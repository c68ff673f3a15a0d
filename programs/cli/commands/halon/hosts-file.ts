import { Fqdn } from '../../../../lib/core/ids.ts';

/** The defect in a line of a file of hosts, counted from 1. */
export type HostsDefect = { readonly line: number; readonly says: string };
export type HostsRead = { readonly hosts: readonly Fqdn[]; readonly defects: readonly HostsDefect[] };

/** More hosts than one range of a genders file may stand for: a slip of a digit is no million of hosts. */
const rangeMax = 10_000;

/**
 * The hosts of a file, in its order and each once: one name a line, or, with an attribute, those of a genders file that
 * have it, written `host[1-3].acme.org attribute,other=value`. What comes after `#` is a comment. Gives every
 * line that cannot be read.
 */
export function hostsIn(text: string, attribute?: string): HostsRead {
  const hosts = new Set<Fqdn>();
  const defects: HostsDefect[] = [];
  for (const [n, raw] of text.split(/\r?\n/).entries()) {
    const words = raw
      .replace(/#.*/, '')
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words.length === 0) continue;
    const read = attribute === undefined ? plainLine(words) : gendersLine(words, attribute);
    if (typeof read === 'string') defects.push({ line: n + 1, says: read });
    else
      for (const name of read) {
        const host = Fqdn.safeParse(name);
        if (host.success) hosts.add(host.data);
        else defects.push({ line: n + 1, says: `${shortened(name)} is not a host name` });
      }
  }
  return { hosts: [...hosts], defects };
}

const plainLine = (words: readonly string[]): readonly string[] | string =>
  words.length === 1 ? words : 'more than one host on a line: for a genders file, give the attribute of the hosts';

function gendersLine([names, ...rest]: readonly string[], attribute: string): readonly string[] | string {
  const has = rest
    .join(',')
    .split(',')
    .some((one) => one === attribute || one.startsWith(`${attribute}=`));
  return has ? expanded(names!) : [];
}

/**
 * The names that a list of ranges stands for, as genders writes it: `ts[1-3,7].acme.org,other.acme.org`. Says what is
 * wrong with one that cannot be read.
 */
function expanded(list: string): readonly string[] | string {
  const names: string[] = [];
  // A comma within brackets is no end of a name.
  for (const name of list.split(/,(?![^[]*\])/)) {
    const [, before, range, after] = /^([^[\]]*)\[([^[\]]*)\]([^[\]]*)$/.exec(name) ?? [];
    if (range === undefined && /[[\]]/.test(name))
      return `${shortened(name)} is not a range of names: use one pair of brackets, as in ts[1-3].acme.org`;
    const numbers = range === undefined ? [''] : numbersIn(range);
    if (!numbers || names.length + numbers.length > rangeMax)
      return `${shortened(name)} is not a range of names, or has more than ${rangeMax}`;
    names.push(...(range === undefined ? [name] : numbers.map((number) => `${before}${number}${after}`)));
  }
  return names;
}

/** The numbers of `1-3,7`, with the zeros that they are written with; undefined for anything else. */
function numbersIn(range: string): string[] | undefined {
  const numbers: string[] = [];
  for (const part of range.split(',')) {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    if (from === undefined || Number(to) < Number(from) || Number(to) - Number(from) >= rangeMax) return undefined;
    for (let n = Number(from); n <= Number(to); n++) numbers.push(String(n).padStart(from.length, '0'));
  }
  return numbers;
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
