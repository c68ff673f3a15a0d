import { useInfiniteQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { Ago, Empty, Refused, Waiting } from '../kit/kit.tsx';
import { type Column, PickButton, Table } from '../kit/table.tsx';
import { go } from '../router.tsx';
import { OneLetter } from './one-letter.tsx';

type Letter = Reply<'listDeadLetters'>['items'][number];

/** Messages that Muster could not handle: what they are, why, and giving them back. */
export function DeadLetters({ picked }: { readonly picked: string | undefined }) {
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['dead-letters'],
    queryFn: ({ signal, pageParam }) => call('listDeadLetters', { query: { limit: 50, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: 15_000,
  });
  const letters = data?.pages.flatMap(({ items }) => items) ?? [];
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  return (
    <div className="split">
      <section>
        {letters.length === 0 && !hasNextPage ? (
          <Empty>No dead letters. Every message was handled.</Empty>
        ) : (
          <Table of={letters} columns={columns} keyOf={({ id }) => id} isPicked={({ id }) => id === picked} />
        )}
        {hasNextPage && (
          <button type="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
            More
          </button>
        )}
      </section>
      {picked !== undefined && (
        <aside>
          <OneLetter key={picked} id={picked} />
        </aside>
      )}
    </div>
  );
}

const columns: readonly Column<Letter>[] = [
  {
    title: 'Queue',
    cell: ({ id, queue }) => <PickButton onPick={() => go('/operations', { tab: 'dead-letters', id })}>{queue}</PickButton>,
  },
  {
    title: 'Why',
    cell: ({ last }) => (
      <>
        <code>{last.code}</code> {last.reason}
      </>
    ),
  },
  { title: 'Deaths', is: 'number', cell: ({ deaths }) => deaths },
  { title: 'Died', cell: ({ last }) => <Ago at={last.at} suffix=" ago" /> },
  { title: 'State', cell: ({ status }) => (status === 'redriven' ? 'given back' : 'dead') },
];
