import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may, mayAnywhere } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, Dialog, Empty, Field, Panel, Refused, Status, Waiting } from '../kit/kit.tsx';
import { itemsIn, OrderForm } from '../kit/order.tsx';
import { ShownOnce } from '../kit/shown-once.tsx';
import { sayWhy } from '../kit/toasts.tsx';
import { allOf, asks, client } from '../live/queries.ts';

type Key = Reply<'listKeys'>['items'][number];
type Shown = { readonly title: string; readonly secret: string };

const again = (): void => void client.invalidateQueries({ queryKey: ['keys'] });
const scopes = ['read', 'operate', 'execute', 'admin', 'security', 'report'] as const;

/** API keys, and who is signed in. */
export function Keys() {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const { data, error } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => allOf((cursor) => call('listKeys', { query: { limit: 200, cursor }, signal })),
    refetchInterval: 15_000,
  });
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const [revoked, revoke] = useState<Key>();
  const link = async (): Promise<void> => {
    try {
      const { link: secret } = await call('createSignInLink');
      setShown({ title: 'A sign-in link', secret });
    } catch (refused) {
      sayWhy(refused);
    }
  };
  return (
    <>
      <div className="actions">
        {mayAnywhere(rights, 'createKey') && (
          <button type="button" className="primary" onClick={() => setAdding(true)}>
            Make a key…
          </button>
        )}
        {mayAnywhere(rights, 'createSignInLink') && (
          <button type="button" onClick={() => void link()}>
            Make a sign-in link
          </button>
        )}
      </div>
      <Refused error={error} />
      {!data && !error && <Waiting />}
      {data && <KeyTable title="Who is here" of={data.filter(({ kind }) => kind === 'session')} onRevoke={revoke} />}
      <br />
      {data && <KeyTable title="Keys of programs" of={data.filter(({ kind }) => kind === 'key')} onRevoke={revoke} />}
      {isAdding && (
        <AddKey
          onClose={() => setAdding(false)}
          onMade={(secret) => setShown({ title: 'The new key', secret })}
          isEverywhere={may(rights, 'createKey')}
        />
      )}
      {shown && (
        <ShownOnce title={shown.title} secret={shown.secret} onClose={() => setShown(undefined)}>
          {shown.title === 'A sign-in link' && <p>It signs one person in, once within 10 minutes, with your own rights.</p>}
        </ShownOnce>
      )}
      {revoked && <Revoke of={revoked} onClose={() => revoke(undefined)} />}
    </>
  );
}

type TableProps = { readonly title: string; readonly of: readonly Key[]; readonly onRevoke: (key: Key) => void };

const KeyTable = ({ title, of, onRevoke }: TableProps) => (
  <Panel title={title}>
    {of.length === 0 && <Empty>None.</Empty>}
    {of.length > 0 && (
      <div className="scroll-x">
        <table className="list">
          <thead>
            <tr>
              <th>Name</th>
              <th>State</th>
              <th>May</th>
              <th>Made</th>
              <th>Used</th>
              <th>Ends</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {of.map((key) => (
              <KeyRow key={key.id} of={key} onRevoke={() => onRevoke(key)} />
            ))}
          </tbody>
        </table>
      </div>
    )}
  </Panel>
);

const KeyRow = ({ of, onRevoke }: { readonly of: Key; readonly onRevoke: () => void }) => (
  <tr>
    <td>
      {of.name} <code className="soft">{of.id}</code>
    </td>
    <td>
      <Status is={of.status === 'valid' ? 'ok' : 'offline'}>{of.status}</Status>
    </td>
    <td>
      {Object.entries(of.rights).map(([scope, reach]) => (
        <span key={scope} className="tag">
          {scope} {reach === 'all' ? '' : `@${reach.join(', ')}`}
        </span>
      ))}
    </td>
    <td>
      <Ago at={of.createdAt} suffix=" ago" /> by {of.createdBy}
    </td>
    <td>
      <Ago at={of.lastUsedAt} suffix=" ago" />
    </td>
    <td>{new Date(of.expiresAt).toLocaleString('en-GB')}</td>
    <td>
      {of.status === 'valid' && (
        <button type="button" className="danger" onClick={onRevoke} aria-label={`Revoke ${of.name}`}>
          Revoke…
        </button>
      )}
    </td>
  </tr>
);

/** Asks before a key is revoked, and shows what ends with it. */
function Revoke({ of: { id, name, kind }, onClose }: { readonly of: Key; readonly onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['keys', id, 'made'],
    queryFn: () => call('revokeKey', { params: { id }, body: { withMade: true, dryRun: true } }),
    gcTime: 0,
  });
  const made = data?.made;
  return (
    <Confirm
      title={kind === 'session' ? `End the session of ${name}?` : `Revoke ${name}?`}
      action={kind === 'session' ? 'End it' : 'Revoke it'}
      isDanger
      does={() => call('revokeKey', { params: { id }, body: { withMade: true } })}
      done={() => {
        again();
        return kind === 'session' ? 'The session is over, everywhere within 5 s' : 'Revoked, everywhere within 5 s';
      }}
      onClose={onClose}
    >
      <p>It ends everywhere within 5 s, and with it everything that was made with it{made?.length === 0 ? '; nothing was.' : ':'}</p>
      <Refused error={error} />
      {!made && !error && <Waiting what="Looking what was made with it" />}
      {made && made.length > 0 && (
        <ul>
          {made.map((one) => (
            <li key={one.id}>
              {one.kind} {one.name}
            </li>
          ))}
        </ul>
      )}
    </Confirm>
  );
}

type AddProps = { readonly onClose: () => void; readonly onMade: (secret: string) => void; readonly isEverywhere: boolean };

function AddKey({ onClose, onMade, isEverywhere }: AddProps) {
  const add = (form: FormData) => {
    const zones = itemsIn(form, 'zones');
    const body = {
      name: String(form.get('name')),
      scopes: scopes.filter((scope) => form.get(scope) !== null),
      expiresInDays: Number(form.get('days')),
      ...(zones.length > 0 && { zones: [...zones] }),
    };
    return call('createKey', { body });
  };
  const done = ({ secret }: Reply<'createKey'>): string => {
    again();
    onMade(secret);
    return 'The key is made';
  };
  return (
    <Dialog label="Make a key" onClose={onClose}>
      <h2>Make a key</h2>
      <OrderForm action="Make it" does={add} done={done} onClose={onClose}>
        <Field label="Name">{(id) => <input id={id} name="name" required maxLength={100} />}</Field>
        <fieldset>
          <legend>May</legend>
          {scopes.map((scope) => (
            <label key={scope}>
              <input type="checkbox" name={scope} defaultChecked={scope === 'read'} /> {scope}{' '}
            </label>
          ))}
        </fieldset>
        <Field
          label="Zones"
          hint={
            isEverywhere ? 'Separated by commas; none is all of them' : 'Separated by commas; only zones in which you hold these scopes'
          }
        >
          {(id) => <input id={id} name="zones" required={!isEverywhere} />}
        </Field>
        <Field label="Valid for days">
          {(id) => <input id={id} name="days" type="number" min="1" max="365" defaultValue="90" required />}
        </Field>
      </OrderForm>
    </Dialog>
  );
}
