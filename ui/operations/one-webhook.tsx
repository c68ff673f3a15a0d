import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, Panel, Refused } from '../kit/kit.tsx';
import { OrderButton } from '../kit/order.tsx';
import { client } from '../live/queries.ts';

/** Where events are delivered, as the API shows it. */
export type Webhook = Reply<'listWebhooks'>['items'][number];

type Props = { readonly of: Webhook; readonly onSecret: (secret: string) => void };

/** What is said once a webhook was changed; the list is read again. */
const changed = (what: string) => (): string => {
  void client.invalidateQueries({ queryKey: ['webhooks'] });
  return what;
};

/** A webhook: what can be done with it, and its deliveries. */
export const OneWebhook = ({ of, onSecret }: Props) => (
  <Panel title={of.url}>
    <Orders of={of} onSecret={onSecret} />
    <Deliveries id={of.id} />
  </Panel>
);

function Orders({ of: { id, url, status }, onSecret }: Props) {
  const [asked, ask] = useState<'rotate' | 'remove'>();
  const close = (): void => ask(undefined);
  const params = { id };
  return (
    <div className="actions">
      <OrderButton does={() => call('testWebhook', { params })} done={testText}>
        Test
      </OrderButton>
      {status === 'disabled' && (
        <OrderButton does={() => call('enableWebhook', { params })} done={changed('Events are delivered again')}>
          Enable
        </OrderButton>
      )}
      <button type="button" onClick={() => ask('rotate')}>
        New secret…
      </button>
      <button type="button" className="danger" onClick={() => ask('remove')}>
        Remove…
      </button>
      {asked === 'rotate' && <Rotate id={id} onSecret={onSecret} onClose={close} />}
      {asked === 'remove' && <Remove id={id} url={url} onClose={close} />}
    </div>
  );
}

const testText = ({ delivered, because, ms }: Reply<'testWebhook'>): string =>
  delivered ? `Delivered in ${ms} ms` : `Not delivered: ${because}`;

type Asked = Pick<Webhook, 'id'> & { readonly onClose: () => void };

const Rotate = ({ id, onSecret, onClose }: Asked & Pick<Props, 'onSecret'>) => (
  <Confirm
    title="Sign with a new secret?"
    action="Make a new secret"
    does={() => call('rotateWebhook', { params: { id } })}
    done={({ secret }) => {
      onSecret(secret);
      return 'A new secret signs from now on';
    }}
    onClose={onClose}
  >
    <p>The secret of before also signs for a day, so that the receiver can change over.</p>
  </Confirm>
);

const Remove = ({ id, url, onClose }: Asked & Pick<Webhook, 'url'>) => (
  <Confirm
    title="Remove this webhook?"
    action="Remove it"
    isDanger
    does={() => call('removeWebhook', { params: { id } })}
    done={changed('Removed')}
    onClose={onClose}
  >
    <p>Nothing more is delivered to {url}; what still waits is given up.</p>
  </Confirm>
);

const hourMs = 3_600_000;

/** Has what was given up in the last hour delivered again. */
const replayed = (id: string): Promise<Reply<'replayDeliveries'>> =>
  call('replayDeliveries', { params: { id }, body: { since: new Date(Date.now() - hourMs).toISOString(), status: 'dead' } });

function Deliveries({ id }: Pick<Webhook, 'id'>) {
  const { data, error } = useQuery({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ signal }) => call('listDeliveries', { params: { id }, query: { limit: 50 }, signal }),
    refetchInterval: 10_000,
  });
  return (
    <>
      <h3>Deliveries</h3>
      <Refused error={error} />
      {data?.items.length === 0 && <p className="soft">None in the last two weeks.</p>}
      {data?.items.some(({ status }) => status === 'dead') && (
        <OrderButton does={() => replayed(id)} done={({ replayed: n }) => changed(`${n} are delivered again`)()}>
          Replay what was given up in the last hour
        </OrderButton>
      )}
      <ol className="timeline">
        {data?.items.map(({ place, type, at, status, because, attempts, answered }) => (
          <li key={place} className={status === 'dead' ? 'bad' : ''}>
            <Ago at={at} />
            <b>{type}</b> {status}
            <p>
              {because} {attempts > 1 && `after ${attempts} attempts`} {answered !== undefined && `(answered ${answered})`}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
