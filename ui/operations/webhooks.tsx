import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { mayAnywhere } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, Dialog, Empty, Field, Panel, Refused, Status, Waiting } from '../kit/kit.tsx';
import { itemsIn, OrderForm } from '../kit/order.tsx';
import { ShownOnce } from '../kit/shown-once.tsx';
import { doing } from '../kit/toasts.tsx';
import { asks, client } from '../live/queries.ts';
import { go } from '../router.tsx';

type Webhook = Reply<'listWebhooks'>['items'][number];
const again = (): void => void client.invalidateQueries({ queryKey: ['webhooks'] });

/** Where events are delivered, and how that goes. */
export function Webhooks({ picked }: { readonly picked: string | undefined }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const isAllowed = mayAnywhere(rights, 'listWebhooks');
  const { data, error } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => call('listWebhooks', { signal }),
    enabled: isAllowed,
  });
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  if (!isAllowed) return <Empty>Webhooks are for administrators of their zones.</Empty>;
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const one = data.items.find(({ id }) => id === picked);
  return (
    <div className="split">
      <section>
        <div className="actions">
          <button type="button" className="primary" onClick={() => setAdding(true)}>
            Add a webhook…
          </button>
        </div>
        {data.items.length === 0 ? <Empty>Events are delivered nowhere yet.</Empty> : <WebhookTable of={data.items} picked={picked} />}
      </section>
      {one && (
        <aside>
          <OneWebhook key={one.id} of={one} onSecret={setSecret} />
        </aside>
      )}
      {isAdding && <AddWebhook onClose={() => setAdding(false)} onSecret={setSecret} />}
      {secret !== undefined && (
        <ShownOnce title="The secret of the webhook" secret={secret} onClose={() => setSecret(undefined)}>
          <p>Deliveries are signed with it; the receiver verifies them by it.</p>
        </ShownOnce>
      )}
    </div>
  );
}

const WebhookTable = ({ of, picked }: { readonly of: readonly Webhook[]; readonly picked: string | undefined }) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          <th>URL</th>
          <th>State</th>
          <th>Events</th>
          <th>Zones</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ id, url, status, because, types, severity, zones }) => (
          <tr key={id} aria-selected={id === picked}>
            <td>
              <button type="button" className="plain" onClick={() => go('/operations', { tab: 'webhooks', id })}>
                {url}
              </button>
            </td>
            <td>
              <Status is={status === 'enabled' ? 'enabled' : 'offline'}>{status}</Status> {because}
            </td>
            <td>{types?.join(', ') ?? (severity === undefined ? 'all' : `${severity} and worse`)}</td>
            <td>{zones === 'all' ? 'all' : zones.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

type WithSecret = { readonly onSecret: (secret: string) => void };

function OneWebhook({ of: { id, url, status }, onSecret }: { readonly of: Webhook } & WithSecret) {
  const [asked, ask] = useState<'rotate' | 'remove'>();
  const params = { id };
  const test = (): void =>
    void doing(call('testWebhook', { params }), ({ delivered, because, ms }) =>
      delivered ? `Delivered in ${ms} ms` : `Not delivered: ${because}`,
    );
  const enable = (): void => void doing(call('enableWebhook', { params }), 'Events are delivered again').then(again);
  const done = (what: string): string => {
    again();
    return what;
  };
  return (
    <Panel title={url}>
      <div className="actions">
        <button type="button" onClick={test}>
          Test
        </button>
        {status === 'disabled' && (
          <button type="button" onClick={enable}>
            Enable
          </button>
        )}
        <button type="button" onClick={() => ask('rotate')}>
          New secret…
        </button>
        <button type="button" className="danger" onClick={() => ask('remove')}>
          Remove…
        </button>
      </div>
      <Deliveries id={id} />
      {asked === 'rotate' && (
        <Confirm
          title="Sign with a new secret?"
          action="Make a new secret"
          does={() => call('rotateWebhook', { params })}
          done={({ secret }) => {
            onSecret(secret);
            return 'A new secret signs from now on';
          }}
          onClose={() => ask(undefined)}
        >
          <p>The secret of before also signs for a day, so that the receiver can change over.</p>
        </Confirm>
      )}
      {asked === 'remove' && (
        <Confirm
          title="Remove this webhook?"
          action="Remove it"
          isDanger
          does={() => call('removeWebhook', { params })}
          done={() => done('Removed')}
          onClose={() => ask(undefined)}
        >
          <p>Nothing more is delivered to {url}; what still waits is given up.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function Deliveries({ id }: { readonly id: string }) {
  const { data, error } = useQuery({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ signal }) => call('listDeliveries', { params: { id }, query: { limit: 50 }, signal }),
    refetchInterval: 10_000,
  });
  const hourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString();
  const replay = (): void =>
    void doing(
      call('replayDeliveries', { params: { id }, body: { since: hourAgo(), status: 'dead' } }),
      ({ replayed }) => `${replayed} are delivered again`,
    );
  const dead = data?.items.filter(({ status }) => status === 'dead').length ?? 0;
  return (
    <>
      <h3>Deliveries</h3>
      <Refused error={error} />
      {data?.items.length === 0 && <p className="soft">None in the last two weeks.</p>}
      {dead > 0 && (
        <button type="button" onClick={replay}>
          Replay what was given up in the last hour
        </button>
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

function AddWebhook({ onClose, onSecret }: { readonly onClose: () => void } & WithSecret) {
  const add = (form: FormData) => {
    const types = itemsIn(form, 'types');
    return call('addWebhook', { body: { url: String(form.get('url')), ...(types.length > 0 && { types: types as never }) } });
  };
  const done = ({ secret }: Reply<'addWebhook'>): string => {
    again();
    onSecret(secret);
    return 'Events are delivered there from now on';
  };
  return (
    <Dialog label="Add a webhook" onClose={onClose}>
      <h2>Add a webhook</h2>
      <OrderForm action="Add it" does={add} done={done} onClose={onClose}>
        <Field label="URL" hint="https; Muster never sends to private addresses">
          {(id) => <input id={id} name="url" type="url" required />}
        </Field>
        <Field label="Types of events" hint="Separated by commas, such as node.lost, zone.disrupted; none is all">
          {(id) => <input id={id} name="types" spellCheck={false} />}
        </Field>
      </OrderForm>
    </Dialog>
  );
}
