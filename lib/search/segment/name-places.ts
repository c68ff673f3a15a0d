import { cutName, fence, hostStart, type Names } from './names.ts';
import { findText, placeOfText, placesOfPrefix } from './texts.ts';

/** Places in the order of names: from the first up to, and without, the second. */
export type Places = readonly [from: number, to: number];

/**
 * The places of the names whose whole is this text, or whose first label is it, which are alike only for a text without
 * a dot.
 */
export function placesOfName(names: Names, text: string): Places {
  const [host, domain] = cutName(text);
  const places = placesOfHost(names, host, true);
  if (domain === '') return places;
  const place = findText(names.domains, domain);
  return place === undefined ? [places[0], places[0]] : ofDomains(names, places, [place, place + 1]);
}

/** The places of the names that begin with a text. */
export function placesOfBeginning(names: Names, prefix: string): Places {
  const [host, domain] = cutName(prefix);
  if (domain === '') return placesOfHost(names, host, false);
  return ofDomains(names, placesOfHost(names, host, true), placesOfPrefix(names.domains, domain));
}

/** The entries at some places. */
export const entriesAt = ({ order }: Names, [from, to]: Places): Uint32Array => order.subarray(from, to);

function placesOfHost(names: Names, host: string, isWhole: boolean): Places {
  const key = Buffer.from(host, 'utf8');
  const from = firstPlace(0, names.count, (place) => compareHost(names, place, key, isWhole) >= 0);
  return [from, firstPlace(from, names.count, (place) => compareHost(names, place, key, isWhole) > 0)];
}

/** Names of one host are in the order of their domains. */
function ofDomains({ order, domainOf }: Names, [from, to]: Places, [first, behind]: Places): Places {
  const domainAt = (place: number): number => domainOf[order[place] ?? 0] ?? 0;
  const low = firstPlace(from, to, (place) => domainAt(place) >= first);
  return [low, firstPlace(low, to, (place) => domainAt(place) >= behind)];
}

/** The first place for which it holds, among places of which it holds for all behind the first. */
function firstPlace(from: number, to: number, holds: (place: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Orders the host at a place against a key; 0 where it is the key, or begins with it if that need not be the whole. */
function compareHost(names: Names, place: number, key: Uint8Array, isWhole: boolean): number {
  const start = hostStart(names, names.order[place] ?? 0);
  for (let at = 0; at < key.length; at++) {
    const byte = names.hosts[start + at] ?? fence;
    if (byte === fence) return -1;
    if (byte !== key[at]) return byte - (key[at] ?? 0);
  }
  return !isWhole || names.hosts[start + key.length] === fence ? 0 : 1;
}

/** The places of the names that are this text as a whole; where they would be, if there are none. */
export function placesOfWhole(names: Names, text: string): Places {
  const [host, domain] = cutName(text);
  const place = placeOfText(names.domains, Buffer.from(domain, 'utf8'));
  const behind = findText(names.domains, domain) === undefined ? place : place + 1;
  return ofDomains(names, placesOfHost(names, host, true), [place, behind]);
}
