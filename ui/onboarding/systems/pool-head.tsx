import { mayAnywhere, type Rights } from '../../api/rights.ts';
import { count, number } from '../../kit/kit.tsx';
import { go, Link } from '../../router.tsx';
import { type WaitingList, waitingMax } from '../asks.ts';
import { SearchLine } from '../picking/search-line.tsx';
import { type Oddity, odd } from './filter.ts';
import type { By } from './groups.ts';

type Search = Readonly<Record<string, string>>;
type Props = {
  readonly list: WaitingList;
  /** How many of them the filter leaves. */
  readonly shown: number;
  readonly search: Search;
  readonly by: By;
  readonly only: Oddity | undefined;
  readonly isReading: boolean;
};

/** How many wait, the filter, and by what they are grouped. */
export function PoolHead({ list: { items, hasMore }, shown, search, by, only, isReading }: Props) {
  const set = (change: Search): void => go('/onboarding', { ...search, ...change }, { replace: true });
  const isPartial = isReading && items.length > 0 && items.length % 200 === 0;
  return (
    <div className="pool-head">
      <SearchLine search={search} hint="Filter by name, fingerprint, zone, tag or machine  ( / )">
        <label className="by">
          <span className="soft">Group by</span>
          <select value={by} onChange={(event) => set({ by: event.target.value === 'name' ? '' : event.target.value })}>
            <option value="name">what looks alike</option>
            <option value="zone">the zone asked for</option>
            <option value="token">onboarding token</option>
          </select>
        </label>
      </SearchLine>
      <Counts {...{ items, shown, only, isPartial }} onChange={set} />
      {hasMore && (
        <p className="note">
          More than {number(waitingMax)} wait; these are the first. So many are let in by{' '}
          <Link to="/onboarding" search={{ tab: 'tokens' }}>
            an onboarding token
          </Link>
          .
        </p>
      )}
    </div>
  );
}

type CountsProps = Pick<Props, 'shown' | 'only'> & {
  readonly items: WaitingList['items'];
  readonly isPartial: boolean;
  readonly onChange: (change: Search) => void;
};

/** How many wait, how many of them are shown, and what is odd about some. */
const Counts = ({ items, shown, only, isPartial, onChange }: CountsProps) => (
  <p className="counts">
    <span role="status">
      {shown < items.length && `${number(shown)} of `}
      {count(items.length, 'machine waits', 'machines wait')}
      {isPartial && ', and more are being read…'}
    </span>
    {shown < items.length && (
      <button type="button" className="chip" onClick={() => onChange({ q: '', only: '' })}>
        Show all
      </button>
    )}
    {odd(items).map(({ oddity, title, n }) => (
      <button
        key={oddity}
        type="button"
        className="chip"
        aria-pressed={only === oddity}
        onClick={() => onChange({ only: only === oddity ? '' : oddity })}
      >
        {number(n)} {title}
      </button>
    ))}
  </p>
);

/** An empty pool, and what would fill it or make it needless. */
export const NobodyWaits = ({ rights }: { readonly rights: Rights | undefined }) => (
  <div className="empty">
    <p>No client system waits.</p>
    <p>
      A machine comes here when its daemon knocks for the first time:
      <br />
      <code>muster-client --endpoint {location.origin}</code>
    </p>
    {mayAnywhere(rights, 'createOnboardingToken') && (
      <p>
        Machines that bring{' '}
        <Link to="/onboarding" search={{ tab: 'tokens' }}>
          an onboarding token
        </Link>{' '}
        are accepted at once.
      </p>
    )}
  </div>
);
