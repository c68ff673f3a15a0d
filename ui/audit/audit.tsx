import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { mayAnywhere } from '../api/rights.ts';
import { count, Empty, Field, number, Refused, Status, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { go, type ViewProps } from '../router.tsx';

type Filter = {
  readonly zone: string | undefined;
  readonly who: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
};

/** Who did what, in the order in which it is chained, and whether the chain is whole. */
export default function Audit({ search }: ViewProps) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const filter: Filter = { zone: search['zone'], who: search['who'], from: search['from'], to: search['to'] };
  if (!mayAnywhere(rights, 'listAudit')) return <Empty>The audit is for those who hold the scope security.</Empty>;
  return (
    <>
      <h1>Audit</h1>
      <Verify />
      <FilterForm of={filter} />
      <Entries key={JSON.stringify(filter)} filter={filter} />
    </>
  );
}

function FilterForm({ of }: { readonly of: Filter }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    go('/audit', Object.fromEntries([...form].map(([name, value]) => [name, String(value)])));
  };
  return (
    <form className="form-row" onSubmit={submit}>
      <Field label="Who">{(id) => <input id={id} name="who" defaultValue={of.who} placeholder="admin:anna" />}</Field>
      <Field label="Zone">{(id) => <input id={id} name="zone" defaultValue={of.zone} placeholder="any" />}</Field>
      <Field label="From">{(id) => <input id={id} name="from" type="date" defaultValue={of.from} />}</Field>
      <Field label="To">{(id) => <input id={id} name="to" type="date" defaultValue={of.to} />}</Field>
      <div className="actions">
        <button type="submit" className="primary">
          Show
        </button>
      </div>
    </form>
  );
}

function Entries({ filter }: { readonly filter: Filter }) {
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) => call('listAudit', { query: { ...filter, limit: 100, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const items = data.pages.flatMap((page) => page.items);
  const unreadable = data.pages.flatMap((page) => page.unreadable ?? []);
  return (
    <>
      {unreadable.length > 0 && (
        <p className="note bad">{count(unreadable.length, 'place')} hold no readable entry: have the audit verified.</p>
      )}
      {items.length === 0 && !hasNextPage ? <Empty>Nobody did anything in this time.</Empty> : <EntryTable of={items} />}
      {hasNextPage && (
        <button type="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
    </>
  );
}

const EntryTable = ({ of }: { readonly of: Reply<'listAudit'>['items'] }) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          <th>When</th>
          <th>Who</th>
          <th>Did</th>
          <th>What</th>
          <th>Why</th>
          <th>From</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ at, zone, n, who, did, what, because, fields, refused, source }) => (
          <tr key={`${zone} ${at} ${n}`}>
            <td>{new Date(at).toLocaleString('en-GB')}</td>
            <td>{who}</td>
            <td>{refused ? <Status is="failed">tried: {refused.type}</Status> : did}</td>
            <td>
              {what.noun} {what.id} {fields !== undefined && <span className="soft">({fields.join(', ')})</span>}
            </td>
            <td>{because}</td>
            <td>{source}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** How far a verification has come. */
type Verified = {
  readonly entries: number;
  readonly days: number;
  readonly faults: readonly string[];
  readonly since: string;
  readonly isWhole: boolean;
};

/** Has the whole audit verified, part by part. */
function Verify() {
  const [state, setState] = useState<Verified>();
  const [error, setError] = useState<unknown>();
  // It ends with the view: of a long audit there are many parts.
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const verify = async (): Promise<void> => {
    setError(undefined);
    stop.current = new AbortController();
    const { signal } = stop.current;
    try {
      let so: Verified = { entries: 0, days: 0, faults: [], since: '', isWhole: false };
      for (let cursor: string | undefined; !so.isWhole; ) {
        const part = await call('verifyAudit', { query: { cursor }, signal });
        const faults = part.faults.map(({ zone, day, n, what }) => `${zone} ${day} ${n}: ${what}`);
        so = {
          entries: so.entries + part.entries,
          days: so.days + part.days,
          faults: [...so.faults, ...faults],
          since: part.keptSince,
          isWhole: part.next === undefined,
        };
        setState(so);
        cursor = part.next;
      }
    } catch (refused) {
      if (!signal.aborted) setError(refused);
    }
  };
  return (
    <div className="actions">
      <button type="button" onClick={() => void verify()} disabled={state !== undefined && !state.isWhole && error === undefined}>
        Verify all of it
      </button>
      <Refused error={error} />
      {state && <Verdict of={state} />}
    </div>
  );
}

const Verdict = ({ of: { entries, days, faults, since, isWhole } }: { readonly of: Verified }) => (
  <p className={faults.length > 0 ? 'note bad' : 'note good'} role="status">
    {!isWhole && 'Verifying: '}
    {number(entries)} entries in {count(days, 'chain')} since {since}
    {faults.length === 0
      ? isWhole
        ? ': whole, nothing was changed or taken out.'
        : ' so far'
      : `: ${count(faults.length, 'fault')}. ${faults.slice(0, 5).join('; ')}`}
  </p>
);
