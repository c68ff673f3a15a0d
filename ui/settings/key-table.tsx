import type { Reply } from '../api/call.ts';
import { Ago, Empty, Panel, Status } from '../kit/kit.tsx';
import { type Column, Table } from '../kit/table.tsx';

/** A key of a program, or the session of a person. */
export type Key = Reply<'listKeys'>['items'][number];

type Props = { readonly title: string; readonly of: readonly Key[]; readonly onRevoke: (key: Key) => void };

/** Keys with what each may, and until when. */
export const KeyTable = ({ title, of, onRevoke }: Props) => (
  <Panel title={title}>
    {of.length === 0 ? <Empty>None.</Empty> : <Table of={of} columns={columnsOf(onRevoke)} keyOf={({ id }) => id} />}
  </Panel>
);

const columnsOf = (onRevoke: Props['onRevoke']): readonly Column<Key>[] => [
  {
    title: 'Name',
    cell: ({ name, id }) => (
      <>
        {name} <code className="soft">{id}</code>
      </>
    ),
  },
  { title: 'State', cell: ({ status }) => <Status is={status === 'valid' ? 'ok' : 'offline'}>{status}</Status> },
  { title: 'May', cell: ({ rights }) => <Rights of={rights} /> },
  {
    title: 'Made',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Ago at={createdAt} suffix=" ago" /> by {createdBy}
      </>
    ),
  },
  { title: 'Used', cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} suffix=" ago" /> },
  { title: 'Ends', cell: ({ expiresAt }) => new Date(expiresAt).toLocaleString('en-GB') },
  {
    title: 'Orders',
    isUnseen: true,
    cell: (key) =>
      key.status === 'valid' && (
        <button type="button" className="danger" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.name}`}>
          Revoke…
        </button>
      ),
  },
];

const Rights = ({ of }: { readonly of: Key['rights'] }) =>
  Object.entries(of).map(([scope, reach]) => (
    <span key={scope} className="tag">
      {scope} {reach === 'all' ? '' : `@${reach.join(', ')}`}
    </span>
  ));
