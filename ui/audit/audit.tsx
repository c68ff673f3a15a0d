import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { call, type Reply } from '../api/call.ts';
import { mayAnywhere } from '../api/rights.ts';
import { Because, count, Empty, Field, Refused, Status, Waiting } from '../kit/kit.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { asks } from '../live/queries.ts';
import { go, type ViewProps } from '../router.tsx';
import { Verify } from './verify.tsx';

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

type Entry = Reply<'listAudit'>['items'][number];

const columns: readonly Column<Entry>[] = [
  { title: 'When', cell: ({ at }) => new Date(at).toLocaleString('en-GB') },
  { title: 'Who', cell: ({ who }) => who },
  { title: 'Did', cell: ({ refused, did }) => (refused ? <Status is="failed">tried: {refused.type}</Status> : did) },
  {
    title: 'What',
    cell: ({ what, fields }) => (
      <>
        {what.noun} {what.id} {fields !== undefined && <span className="soft">({fields.join(', ')})</span>}
      </>
    ),
  },
  { title: 'Why', cell: ({ because }) => <Because of={because} /> },
  { title: 'From', cell: ({ source }) => source },
];

const EntryTable = ({ of }: { readonly of: readonly Entry[] }) => (
  <Table of={of} columns={columns} keyOf={({ zone, at, n }) => `${zone} ${at} ${n}`} />
);
