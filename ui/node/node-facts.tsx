import type { ReactNode } from 'react';
import type { Reply } from '../api/call.ts';
import { Fingerprint } from '../kit/fingerprint.tsx';
import { Ago, Facts, number, Outside, Sparkline } from '../kit/kit.tsx';
import { Link } from '../router.tsx';

type Node = Reply<'getNode'>;
type Fact = readonly [string, ReactNode];
type Of = { readonly of: Node };

/** What Muster knows of a node: its place in the zone, its load, key and labels, and its host as it reports that. */
export const NodeFacts = ({ of }: Of) => (
  <>
    <Facts of={[...systemsOf(of), ...factsOf(of)]} />
    <Loads of={of} />
    <Key of={of} />
    <Labels of={of} />
    <Host of={of} />
  </>
);

/** Its client systems; each number leads to them. */
function systemsOf({ fqdn, systemsAbout, capacity, silentAbout = 0 }: Node): readonly Fact[] {
  const found = (q: string, text: string): ReactNode => (
    <Link key={q} to="/systems" search={{ q }}>
      {text}
    </Link>
  );
  const here = `${number(systemsAbout)}${capacity === undefined ? '' : ` of ${number(capacity)}`}`;
  return [
    ['Client systems', found(`node:${fqdn}`, here)],
    ['Silent', silentAbout > 0 ? found(`node:${fqdn} silent:>0s`, number(silentAbout)) : undefined],
  ];
}

const factsOf = (of: Node): readonly Fact[] => [
  ['Slots', number(of.slots)],
  ['Heard', <Ago key="heard" at={of.heardAt} suffix=" ago" />],
  ['Lease until', of.leaseUntil && new Date(of.leaseUntil).toLocaleTimeString('en-GB')],
  ['Load', of.load?.load1],
  ['Weight', of.weight],
  ['Admits one each', rateText(of)],
  ['Boot and generation', `${of.incarnation} · ${of.generation}`],
  ['Joined', <Ago key="joined" at={of.joinedAt} suffix=" ago" />],
  ['Watched at', of.watch],
  ['Zone', of.zone],
  ['Its own page', of.page && <Outside key="page" to={of.page} />],
];

const rateText = ({ rate, admitEveryMs }: Node): string | undefined => {
  if (rate) return `${rate.everyMs / 1_000} s: ${rate.because}`;
  return admitEveryMs === undefined ? undefined : `${admitEveryMs / 1_000} s`;
};

/** Its load over the last hour, as far as Muster remembers it. */
function Loads({ of: { loads = [] } }: Of) {
  if (loads.length === 0) return null;
  const values = loads.map(({ load }) => load);
  return (
    <>
      <h3>Load of the last hour</h3>
      <Sparkline values={values} label={`Load between ${Math.min(...values)} and ${Math.max(...values)}`} />
    </>
  );
}

const Key = ({ of: { key } }: Of) =>
  key && (
    <>
      <h3>Key</h3>
      <Fingerprint of={key.fingerprint} />
    </>
  );

function Labels({ of: { labels } }: Of) {
  const all = Object.entries(labels);
  if (all.length === 0) return null;
  return (
    <>
      <h3>Labels</h3>
      <p>
        {all.map(([name, value]) => (
          <span key={name} className="tag">
            {name}={value}
          </span>
        ))}
      </p>
    </>
  );
}

function Host({ of: { host } }: Of) {
  if (host === undefined) return null;
  const { at: _, ...facts } = host;
  return (
    <>
      <h3>Host</h3>
      <Facts of={Object.entries(facts).map(([name, value]) => [name, factText(value)])} />
    </>
  );
}

/** A fact as a person reads it: lists by their items, each by its values. */
const factText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(factText).join('; ');
  return typeof value === 'object' && value !== null ? Object.values(value).join(' ') : String(value);
};
