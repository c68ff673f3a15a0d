import { type Automaton, automatonOf, begin, reachableWithout, run, runBack } from './automaton.ts';
import { hostEnd, hostStart, type Names } from './names.ts';
import { textAt, textsIn } from './texts.ts';

/** What the domain of a name says before its host is read. */
export const verdicts = { none: 0, all: 1, host: 2 } as const;

/**
 * A glob against the names of one segment. A name passes if the whole or its first label does. Each domain is matched
 * once: `needs` has for each the states in which a host must end, and `verdict` whether a host need be read at all.
 */
export type NameMatch = {
  readonly automaton: Automaton;
  readonly needs: Int32Array;
  readonly verdict: Uint8Array;
  /** Whether some host must be read. */
  readonly readsHosts: boolean;
  /** The test of a name as text, of which the glob may be only a part. */
  readonly verify: (name: string) => boolean;
  readonly hosts: Buffer;
  readonly domainText: (domain: number) => string;
  readonly verifiesAll: boolean;
};

const dot = 0x2e;

/** Prepares a glob. `verifiesAll`: names that it matches must pass `verify`, too. */
export function matchOf(names: Names, glob: string, verify: (name: string) => boolean, verifiesAll: boolean): NameMatch {
  const automaton = automatonOf(glob);
  const reachable = reachableWithout(automaton, dot);
  const { bytes, offsets } = names.domains;
  const needs = new Int32Array(textsIn(names.domains));
  const verdict = new Uint8Array(needs.length);
  const isSure = automaton.isExact && !verifiesAll;
  for (let domain = 0; domain < needs.length; domain++) {
    const ends = runBack(automaton, bytes, offsets[domain] ?? 0, offsets[domain + 1] ?? 0);
    // Where a text is not ASCII the automaton knows nothing: every name of the domain is read.
    const need = ends ?? -1;
    needs[domain] = need;
    const isAny = isSure && ends !== undefined && (automaton.loops & begin & (need | automaton.accepts)) !== 0;
    const isNone = ends !== undefined && ((need | automaton.accepts) & reachable) === 0;
    verdict[domain] = isAny ? verdicts.all : isNone ? verdicts.none : verdicts.host;
  }
  return { automaton, needs, verdict, readsHosts: verdict.includes(verdicts.host), verify, verifiesAll: !isSure, ...textsOf(names) };
}

/** Whether an entry passes. `start`: where its host begins, if that is known. */
export function matches(match: NameMatch, names: Names, entry: number, start?: number): boolean {
  const domain = names.domainOf[entry] ?? 0;
  const verdict = match.verdict[domain];
  if (verdict !== verdicts.host) return verdict === verdicts.all;
  const from = start ?? hostStart(names, entry);
  const to = hostEnd(names, from);
  const states = run(match.automaton, begin, names.hosts, from, to) ?? -1;
  const need = match.needs[domain] ?? 0;
  const [isWhole, isLabel] = [(states & need) !== 0, (states & match.automaton.accepts) !== 0];
  if (!(match.verifiesAll || states === -1 || need === -1)) return isWhole || isLabel;
  if (!(isWhole || isLabel)) return false;
  const host = match.hosts.toString('utf8', from, to);
  return (isLabel && match.verify(host)) || (isWhole && match.verify(host + match.domainText(domain)));
}

/** What names are made of as texts: each domain is read once, and hosts without an object for each of them. */
function textsOf({ hosts, domains }: Names): Pick<NameMatch, 'hosts' | 'domainText'> {
  const known: string[] = [];
  return {
    hosts: Buffer.from(hosts.buffer, hosts.byteOffset, hosts.length),
    domainText: (domain) => {
      known[domain] ??= textAt(domains, domain);
      return known[domain];
    },
  };
}
