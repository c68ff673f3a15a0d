import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { mayAnywhere } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Empty, Field, Refused, Status, Waiting } from '../kit/kit.tsx';
import { itemsIn } from '../kit/order.tsx';
import { ShownOnce } from '../kit/shown-once.tsx';
import { type Column, PickButton, Table } from '../kit/table.tsx';
import { asks, client } from '../live/queries.ts';
import { go } from '../router.tsx';
import { OneWebhook, type Webhook } from './one-webhook.tsx';

/** Where events are delivered, and how that goes. */
export function Webhooks({ picked }: { readonly picked: string | undefined }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const isAllowed = mayAnywhere(rights, 'listWebhooks');
  const { data, error } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => call('listWebhooks', { signal }),
    enabled: isAllowed,
  });
  const [secret, setSecret] = useState<string>();
  if (!isAllowed) return <Empty>Webhooks are for administrators of their zones.</Empty>;
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const one = data.items.find(({ id }) => id === picked);
  return (
    <div className="split">
      <section>
        <Add onSecret={setSecret} />
        <List of={data.items} picked={picked} />
      </section>
      {one && (
        <aside>
          <OneWebhook key={one.id} of={one} onSecret={setSecret} />
        </aside>
      )}
      {secret !== undefined && (
        <ShownOnce title="The secret of the webhook" secret={secret} onClose={() => setSecret(undefined)}>
          <p>Deliveries are signed with it; the receiver verifies them by it.</p>
        </ShownOnce>
      )}
    </div>
  );
}

const List = ({ of, picked }: { readonly of: readonly Webhook[]; readonly picked: string | undefined }) =>
  of.length === 0 ? (
    <Empty>Events are delivered nowhere yet.</Empty>
  ) : (
    <Table of={of} columns={columns} keyOf={({ id }) => id} isPicked={({ id }) => id === picked} />
  );

const columns: readonly Column<Webhook>[] = [
  { title: 'URL', cell: ({ id, url }) => <PickButton onPick={() => go('/operations', { tab: 'webhooks', id })}>{url}</PickButton> },
  {
    title: 'State',
    cell: ({ status, because }) => (
      <>
        <Status is={status === 'enabled' ? 'enabled' : 'offline'}>{status}</Status> {because}
      </>
    ),
  },
  { title: 'Events', cell: ({ types, severity }) => types?.join(', ') ?? (severity === undefined ? 'all' : `${severity} and worse`) },
  { title: 'Zones', cell: ({ zones }) => (zones === 'all' ? 'all' : zones.join(', ')) },
];

type WithSecret = { readonly onSecret: (secret: string) => void };

function Add({ onSecret }: WithSecret) {
  const [isAdding, setAdding] = useState(false);
  return (
    <div className="actions">
      <button type="button" className="primary" onClick={() => setAdding(true)}>
        Add a webhook…
      </button>
      {isAdding && <AddWebhook onClose={() => setAdding(false)} onSecret={onSecret} />}
    </div>
  );
}

function AddWebhook({ onClose, onSecret }: WithSecret & { readonly onClose: () => void }) {
  const add = (form: FormData) => {
    const types = itemsIn(form, 'types');
    return call('addWebhook', { body: { url: String(form.get('url')), ...(types.length > 0 && { types: types as never }) } });
  };
  const done = ({ secret }: Reply<'addWebhook'>): string => {
    void client.invalidateQueries({ queryKey: ['webhooks'] });
    onSecret(secret);
    return 'Events are delivered there from now on';
  };
  return (
    <Confirm title="Add a webhook" action="Add it" does={add} done={done} onClose={onClose}>
      <Field label="URL" hint="https; Muster never sends to private addresses">
        {(id) => <input id={id} name="url" type="url" required />}
      </Field>
      <Field label="Types of events" hint="Separated by commas, such as node.lost, zone.disrupted; none is all">
        {(id) => <input id={id} name="types" spellCheck={false} />}
      </Field>
    </Confirm>
  );
}
