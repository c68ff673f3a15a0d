/** The first label of a name and what follows it, dot included. */
function parted(fqdn: string): readonly [string, string] {
  const dot = fqdn.indexOf('.');
  return dot < 0 ? [fqdn, ''] : [fqdn.slice(0, dot), fqdn.slice(dot)];
}

/** A text with a star for each number in it, and for each run of 8 or more hex digits that has a number. */
const starred = (text: string): string => text.replace(/(?=[a-f]*\d)[\da-f]{8,}/g, '*').replace(/\d+/g, '*');

/** What names of one kind of machine have in common: `trading*.rack7.acme.org` of `trading07.rack7.acme.org`. */
export function stemOf(fqdn: string): string {
  const [label, domain] = parted(fqdn);
  return starred(label) + domain;
}

/** The same with the numbers of the domain left open, too: `trading*.rack*.acme.org`. */
export const wideStemOf = (fqdn: string): string => starred(fqdn);

/** The word that a stem begins with, as a tag: `trading` of `trading*.rack7.acme.org`; undefined where it has none. */
export function tagOfStem(stem: string): string | undefined {
  const word = /^[a-z][a-z-]*[a-z]/i.exec(parted(stem)[0])?.[0];
  return word !== undefined && parted(stem)[0].includes('*') ? word : undefined;
}
