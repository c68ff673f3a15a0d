import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { mayAnywhere } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, CloseButton, count, Facts, Panel, Refused, Waiting } from '../kit/kit.tsx';
import { asks, client } from '../live/queries.ts';
import { go } from '../router.tsx';

type Letter = Reply<'getDeadLetter'>;

const close = (): void => go('/operations', { tab: 'dead-letters' });

/** A dead letter with its message, and what can be done with it. */
export function OneLetter({ id }: { readonly id: string }) {
  const { data, error } = useQuery({
    queryKey: ['dead-letters', id],
    queryFn: ({ signal }) => call('getDeadLetter', { params: { id }, signal }),
  });
  if (error) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const { last, bytes, cut, message } = data;
  return (
    <Panel title="Dead letter" actions={<CloseButton onClose={close} />}>
      <p className="because">{last.reason}</p>
      <Facts of={factsOf(data)} />
      <pre>{message}</pre>
      {cut && <p className="note">Only the beginning of {count(bytes, 'byte')} is kept, so it cannot be given back.</p>}
      <Orders of={data} />
    </Panel>
  );
}

const factsOf = ({
  queue,
  first,
  last,
  receives,
  deaths,
  sentAt,
  expiresAt,
  redriven,
}: Letter): readonly (readonly [string, ReactNode])[] => [
  ['Queue', queue],
  ['Code', last.code],
  ['Received', count(receives, 'time')],
  ['Died', count(deaths, 'time')],
  ['Sent', <Ago key="sent" at={sentAt} suffix=" ago" />],
  ['First died', <Ago key="first" at={first.at} suffix=" ago" />],
  ['Deleted at', new Date(expiresAt).toLocaleString('en-GB')],
  ['Given back', redriven && new Date(redriven.at).toLocaleString('en-GB')],
];

function Orders({ of: { id, queue, cut } }: { readonly of: Letter }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [asked, ask] = useState<'redrive' | 'drop'>();
  if (!mayAnywhere(rights, 'redriveDeadLetters')) return null;
  return (
    <div className="actions">
      <button type="button" className="primary" disabled={cut} onClick={() => ask('redrive')}>
        Give back…
      </button>
      <button type="button" className="danger" onClick={() => ask('drop')}>
        Drop…
      </button>
      {asked === 'redrive' && <Redrive id={id} queue={queue} onClose={() => ask(undefined)} />}
      {asked === 'drop' && <Drop id={id} onClose={() => ask(undefined)} />}
    </div>
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
