import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { Problem } from '../api/call.ts';
import { useKeys } from '../kit/keys.ts';
import { Empty, Waiting } from '../kit/kit.tsx';
import { useNarrow } from '../kit/narrow.ts';
import { go, type ViewProps } from '../router.tsx';
import { findHead, findSilent, type Sort, type System, type Wanted } from './asks.ts';
import { BulkBar } from './bulk-bar.tsx';
import { Facets } from './facets.tsx';
import { useFollow } from './follow.ts';
import { One } from './one.tsx';
import { QueryLine } from './query-line.tsx';
import { Summary } from './summary.tsx';
import { termsOf, withoutTerm } from './terms.ts';

/** The list brings what draws long lists, in a piece of its own that loads while the first answer is awaited. */
const loading = import('./listing.tsx');
const Listing = lazy(() => loading);

/** Client systems: a line that says which, the list of them, one of them beside it, and what can be done to many. */
export default function Systems({ search }: ViewProps) {
  const asked = wantedOf(search);
  const { fp } = search;
  const answer = useQuery(findHead(asked.q));
  const q = useReadable(asked.q, answer);
  const wanted = { ...asked, q };
  const head = useQuery({ ...findHead(q), enabled: !isUnread(answer.error) || q !== asked.q });
  useFollow(head.data?.tookMs ?? 0);
  const silent = useQuery({ ...findSilent(q), enabled: head.data !== undefined });
  const [chosen, setChosen] = useState<ReadonlyMap<string, System>>(new Map());
  const at = (change: Readonly<Record<string, string | undefined>>): void => go('/systems', { ...search, ...change }, { replace: true });
  const choose = (systems: readonly System[], isChosen: boolean): void => setChosen((before) => withChosen(before, systems, isChosen));
  useKeys({ Escape: () => (fp === undefined ? setChosen(new Map()) : at({ fp: undefined })) });
  const onQuery = (next: string): void => at({ q: next });
  return (
    <div className="systems split">
      <h1 className="unseen">Client systems</h1>
      <section aria-label="List">
        <QueryLine q={asked.q} error={answer.error} onQuery={onQuery} onDown={focusList} />
        {head.data && (
          <>
            <Summary head={head.data} wanted={wanted} onSort={(sort) => at(orderOf(wanted, sort))} />
            <Facets q={q} facets={head.data.facets} silent={silent.data ?? 0} onQuery={onQuery} />
          </>
        )}
        <Found {...{ head, wanted, chosen, fp }} onQuery={onQuery} onChoose={choose} at={at} />
        <BulkBar q={q} chosen={chosen} total={head.data?.total ?? 0} onClear={() => setChosen(new Map())} />
      </section>
      {fp !== undefined && <One key={fp} fp={fp} onClose={() => at({ fp: undefined })} />}
    </div>
  );
}

const isUnread = (error: unknown): boolean => error instanceof Problem && error.type === 'bad-query';

/** The query, or while it cannot be read, the last one that could: its list stays while a person goes on typing. */
function useReadable(
  q: string,
  { data, error, isPlaceholderData }: Pick<ReturnType<typeof useQuery>, 'data' | 'error' | 'isPlaceholderData'>,
): string {
  const last = useRef<string>(undefined);
  if (data !== undefined && !isPlaceholderData) last.current = q;
  return isUnread(error) ? (last.current ?? q) : q;
}

type FoundProps = {
  readonly head: { readonly data: Parameters<typeof Summary>[0]['head'] | undefined; readonly error: unknown };
  readonly wanted: Wanted;
  readonly chosen: ReadonlyMap<string, System>;
  readonly fp: string | undefined;
  readonly onQuery: (q: string) => void;
  readonly onChoose: (systems: readonly System[], isChosen: boolean) => void;
  readonly at: (change: Readonly<Record<string, string | undefined>>) => void;
};

/** The list, or what stands in its place. */
function Found({ head: { data, error }, wanted, chosen, fp, onQuery, onChoose, at }: FoundProps) {
  const isNarrow = useNarrow();
  if (data === undefined)
    return error ? (
      <Empty>Nothing is listed before the query can be read.</Empty>
    ) : (
      <Waiting what="Reading the client systems; the first time that takes some seconds" />
    );
  if (data.total === 0) return <Nothing q={wanted.q} onQuery={onQuery} />;
  return (
    <Suspense fallback={<Waiting />}>
      <Listing
        {...{ wanted, chosen, isNarrow, onChoose }}
        total={data.total}
        open={fp}
        onOpen={(system) => at({ fp: system.fp })}
        onSort={(sort) => at(orderOf(wanted, sort))}
      />
    </Suspense>
  );
}

/** Why there is nothing, and what there would be without one of the terms. */
function Nothing({ q, onQuery }: { readonly q: string; readonly onQuery: (q: string) => void }) {
  if (q === '')
    return <Empty>No client system has called in yet. A machine with muster-client appears here when it knocks for the first time.</Empty>;
  const terms = termsOf(q);
  return (
    <div className="empty">
      <p>No client system matches.</p>
      {terms.length > 1 && (
        <p>
          Without{' '}
          {terms.map((term) => (
            <button key={term} type="button" className="chip" onClick={() => onQuery(withoutTerm(q, term))}>
              <code>{term}</code>
            </button>
          ))}
        </p>
      )}
      <button type="button" onClick={() => onQuery('')}>
        List all
      </button>
    </div>
  );
}

const sorts: readonly string[] = ['name', 'seen', 'registered', 'fp'] satisfies readonly Sort[];
const isSort = (text: string | undefined): text is Sort => text !== undefined && sorts.includes(text);

/** What an address asks for. */
const wantedOf = (search: ViewProps['search']): Wanted => ({
  q: search['q'] ?? '',
  sort: isSort(search['sort']) ? search['sort'] : 'name',
  isDown: search['down'] === 'yes',
});

/** The order by a column: the other way round if it is that already; by time, the newest first. */
const orderOf = ({ sort, isDown }: Wanted, next: Sort): { readonly sort: string | undefined; readonly down: string | undefined } => {
  const down = next === sort ? !isDown : next === 'seen' || next === 'registered';
  return { sort: next === 'name' ? undefined : next, down: down ? 'yes' : undefined };
};

function withChosen(before: ReadonlyMap<string, System>, systems: readonly System[], isChosen: boolean): ReadonlyMap<string, System> {
  const after = new Map(before);
  for (const system of systems) {
    if (isChosen) after.set(system.fp, system);
    else after.delete(system.fp);
  }
  return after;
}

const focusList = (): void => document.querySelector<HTMLElement>('.systems-list table')?.focus();
