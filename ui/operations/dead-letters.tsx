import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { mayAnywhere } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, count, Empty, Facts, Panel, Refused, Waiting } from '../kit/kit.tsx';
import { asks, client } from '../live/queries.ts';
import { go } from '../router.tsx';

type Letter = Reply<'listDeadLetters'>['items'][number];

const close = (): void => go('/operations', { tab: 'dead-letters' });

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
          <LetterTable of={letters} picked={picked} />
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

const LetterTable = ({ of, picked }: { readonly of: readonly Letter[]; readonly picked: string | undefined }) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          <th>Queue</th>
          <th>Why</th>
          <th className="number">Deaths</th>
          <th>Died</th>
          <th>State</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ id, queue, last, deaths, status }) => (
          <tr key={id} aria-selected={id === picked}>
            <td>
              <button type="button" className="plain" onClick={() => go('/operations', { tab: 'dead-letters', id })}>
                {queue}
              </button>
            </td>
            <td>
              <code>{last.code}</code> {last.reason}
            </td>
            <td className="number">{deaths}</td>
            <td>
              <Ago at={last.at} suffix=" ago" />
            </td>
            <td>{status === 'redriven' ? 'given back' : 'dead'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** A dead letter with its message, and what can be done with it. */
function OneLetter({ id }: { readonly id: string }) {
  const { data, error } = useQuery({
    queryKey: ['dead-letters', id],
    queryFn: ({ signal }) => call('getDeadLetter', { params: { id }, signal }),
  });
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [asked, ask] = useState<'redrive' | 'drop'>();
  if (error) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const { queue, first, last, receives, deaths, bytes, cut, sentAt, expiresAt, redriven, message } = data;
  return (
    <Panel
      title="Dead letter"
      actions={
        <button type="button" className="quiet" onClick={close} aria-label="Close">
          ✕
        </button>
      }
    >
      <p className="because">{last.reason}</p>
      <Facts
        of={[
          ['Queue', queue],
          ['Code', last.code],
          ['Received', count(receives, 'time')],
          ['Died', count(deaths, 'time')],
          ['Sent', <Ago key="sent" at={sentAt} suffix=" ago" />],
          ['First died', <Ago key="first" at={first.at} suffix=" ago" />],
          ['Deleted at', new Date(expiresAt).toLocaleString('en-GB')],
          ['Given back', redriven && new Date(redriven.at).toLocaleString('en-GB')],
        ]}
      />
      <pre>{message}</pre>
      {cut && <p className="note">Only the beginning of {count(bytes, 'byte')} is kept, so it cannot be given back.</p>}
      {mayAnywhere(rights, 'redriveDeadLetters') && (
        <div className="actions">
          <button type="button" className="primary" disabled={cut} onClick={() => ask('redrive')}>
            Give back…
          </button>
          <button type="button" className="danger" onClick={() => ask('drop')}>
            Drop…
          </button>
        </div>
      )}
      {asked === 'redrive' && <Redrive id={id} queue={queue} onClose={() => ask(undefined)} />}
      {asked === 'drop' && <Drop id={id} onClose={() => ask(undefined)} />}
    </Panel>
  );
}

type Asked = { readonly id: string; readonly onClose: () => void };

/** What an order about one dead letter came to; the list is read again. */
function outcome({ results }: Reply<'redriveDeadLetters'>): string {
  void client.invalidateQueries({ queryKey: ['dead-letters'] });
  return results[0]?.because ?? 'It is no longer there';
}

const Redrive = ({ id, queue, onClose }: Asked & { readonly queue: string }) => (
  <Confirm
    title="Give it back?"
    action="Give it back"
    does={() => call('redriveDeadLetters', { body: { ids: [id] } })}
    done={outcome}
    onClose={onClose}
  >
    <p>
      Its message goes to {queue === 'feed' ? 'the publisher of events' : `the queue ${queue}`} again, as it was sent. If it fails again, it
      comes back here.
    </p>
  </Confirm>
);

const Drop = ({ id, onClose }: Asked) => (
  <Confirm
    title="Drop it?"
    action="Drop it"
    isDanger
    does={() => call('dropDeadLetters', { body: { ids: [id] } })}
    done={(reply) => {
      close();
      return outcome(reply);
    }}
    onClose={onClose}
  >
    <p>Its message is lost. What it reported is not handled unless its sender reports it again.</p>
  </Confirm>
);
