import type { Reply } from '../api/call.ts';
import { Ago, number } from '../kit/kit.tsx';
import { Table } from '../kit/table.tsx';
import type { Sort, Wanted } from './asks.ts';

type Head = Reply<'findSystems'>;

type SummaryProps = { readonly head: Head; readonly wanted: Wanted; readonly onSort: (sort: Sort) => void };

/** How many match, how fresh that is, how the query was read, and the order of the list. */
export const Summary = ({ head, wanted, onSort }: SummaryProps) => (
  <div className="summary">
    <p role="status">
      <b>{number(head.total)}</b> client {head.total === 1 ? 'system' : 'systems'}
    </p>
    <span className="soft" title="Everything that was published before this moment was searched">
      as of <Ago at={head.asOf} suffix=" ago" />
    </span>
    {wanted.q !== '' && <Reading head={head} />}
    <Order wanted={wanted} onSort={onSort} />
  </div>
);

/** The query as it was read, and how each of its terms was found. */
const Reading = ({ head: { query, plan } }: { readonly head: Head }) => (
  <details className="reading">
    <summary>
      read as <code>{query}</code>
    </summary>
    <Table
      of={plan}
      keyOf={({ column, term }) => `${column} ${term}`}
      columns={[
        { title: 'Term', cell: ({ term }) => <code>{term}</code> },
        { title: 'How it was found', cell: ({ way }) => way },
        { title: 'Found there', is: 'number', cell: ({ hits }) => number(hits) },
      ]}
    />
  </details>
);

const orders: Readonly<Record<Sort, string>> = { name: 'name', seen: 'last seen', registered: 'registered', fp: 'fingerprint' };

/** By what the list is in order: the head of the list has columns for some of these, and narrow pages have no head. */
const Order = ({ wanted, onSort }: Pick<SummaryProps, 'wanted' | 'onSort'>) => (
  <span className="order">
    <label>
      by{' '}
      <select value={wanted.sort} onChange={(event) => onSort(event.target.value as Sort)}>
        {Object.entries(orders).map(([sort, title]) => (
          <option key={sort} value={sort}>
            {title}
          </option>
        ))}
      </select>
    </label>
    <button
      type="button"
      aria-label={wanted.isDown ? 'Descending: turn round' : 'Ascending: turn round'}
      onClick={() => onSort(wanted.sort)}
    >
      {wanted.isDown ? '↓' : '↑'}
    </button>
  </span>
);
