import type { Waiting } from './groups.ts';

/** A machine that was accepted, and how far it has come as the page knows. */
export type Accepted = {
  readonly fp: string;
  readonly fqdn: string;
  readonly status: 'orphan' | 'onboarded' | 'gone';
  /** The name of its node, once it is assigned to one. */
  readonly node: string | undefined;
  readonly because: string;
  /** When its turn at its node comes, if it waits for that. */
  readonly turnAt: string | undefined;
};

/** What is found of it by search. */
type Found = Pick<Waiting, 'fp' | 'fqdn' | 'status' | 'because' | 'turnAt'> & { readonly node?: Waiting['node'] };

/** So many digits of a fingerprint tell machines apart in a search, and so many of them fit into one query. */
const digits = 12;
export const askedAtOnce = 90;

/** A machine that was accepted just now. */
export const justAccepted = ({ fp, fqdn }: Pick<Waiting, 'fp' | 'fqdn'>): Accepted => ({
  fp,
  fqdn,
  status: 'orphan',
  node: undefined,
  because: 'accepted; it hears of it at its next knock',
  turnAt: undefined,
});

/** The query that finds these machines. */
export const queryOf = (fps: readonly string[]): string => `fp:${fps.map((fp) => fp.slice(0, digits)).join(',')}`;

/** Those whose way is not over, the ones that were asked about longest ago first: {@link askedAtOnce} at most. */
export const nextToAsk = (followed: ReadonlyMap<string, Accepted>): string[] =>
  [...followed.values()]
    .filter(({ status }) => status === 'orphan')
    .map(({ fp }) => fp)
    .slice(0, askedAtOnce);

/**
 * The machines as they were found now. Those that were asked about go to the end, so that the others are asked about
 * next. One that is not found, or `new`, is one that search does not know as accepted yet.
 */
export function seen(followed: ReadonlyMap<string, Accepted>, asked: readonly string[], found: readonly Found[]): Map<string, Accepted> {
  const now = new Map(found.map((one) => [one.fp, one]));
  const next = new Map(followed);
  for (const fp of asked) {
    const before = next.get(fp);
    if (before === undefined) continue;
    next.delete(fp);
    const one = now.get(fp);
    next.set(fp, one === undefined || one.status === 'new' ? before : asFound(one));
  }
  return next;
}

const asFound = ({ fp, fqdn, status, because, node, turnAt }: Found): Accepted => ({
  fp,
  fqdn,
  status: status === 'onboarded' ? 'onboarded' : status === 'deleted' ? 'gone' : 'orphan',
  node: node?.fqdn,
  because,
  turnAt,
});

/** How many have come how far, and where those that are onboarded live: the fullest node first. */
export type Summary = {
  readonly accepted: number;
  readonly onboarded: number;
  readonly onTheirWay: number;
  readonly nodes: readonly { readonly node: string; readonly n: number }[];
};

/** Sums up how far they have come. */
export function summaryOf(followed: ReadonlyMap<string, Accepted>): Summary {
  const all = [...followed.values()];
  const onboarded = all.filter(({ status }) => status === 'onboarded');
  const by = Map.groupBy(onboarded, ({ node }) => node ?? '');
  const nodes = [...by].map(([node, some]) => ({ node, n: some.length })).filter(({ node }) => node !== '');
  return {
    accepted: all.length,
    onboarded: onboarded.length,
    onTheirWay: all.filter(({ status }) => status === 'orphan').length,
    nodes: nodes.sort((a, b) => b.n - a.n || (a.node < b.node ? -1 : 1)),
  };
}
