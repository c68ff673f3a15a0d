import { useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Field, Refused, Waiting } from '../kit/kit.tsx';
import { itemsIn } from '../kit/order.tsx';
import { client } from '../live/queries.ts';
import type { Key } from './key-table.tsx';

const again = (): void => void client.invalidateQueries({ queryKey: ['keys'] });

/** Asks before a key is revoked, and shows what ends with it. */
export function RevokeKey({ of: { id, name, kind }, onClose }: { readonly of: Key; readonly onClose: () => void }) {
  const isSession = kind === 'session';
  return (
    <Confirm
      title={isSession ? `End the session of ${name}?` : `Revoke ${name}?`}
      action={isSession ? 'End it' : 'Revoke it'}
      isDanger
      does={() => call('revokeKey', { params: { id }, body: { withMade: true } })}
      done={() => {
        again();
        return isSession ? 'The session is over, everywhere within 5 s' : 'Revoked, everywhere within 5 s';
      }}
      onClose={onClose}
    >
      <EndsWith id={id} />
    </Confirm>
  );
}

/** What ends with a key, as the server would end it. */
function EndsWith({ id }: { readonly id: string }) {
  const { data, error } = useQuery({
    queryKey: ['keys', id, 'made'],
    queryFn: () => call('revokeKey', { params: { id }, body: { withMade: true, dryRun: true } }),
    gcTime: 0,
  });
  const made = data?.made;
  return (
    <>
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
    </>
  );
}

const scopes = ['read', 'number', 'edit', 'operate', 'execute', 'admin', 'security', 'report'] as const;

type AddProps = { readonly onClose: () => void; readonly onMade: (secret: string) => void; readonly isEverywhere: boolean };

/** Makes a key for a program. Who does not administer all zones names those that it is for. */
export function AddKey({ onClose, onMade, isEverywhere }: AddProps) {
  const done = ({ secret }: Reply<'createKey'>): string => {
    again();
    onMade(secret);
    return 'The key is made';
  };
  return (
    <Confirm title="Make a key" action="Make it" does={added} done={done} onClose={onClose}>
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
        hint={`Separated by commas; ${isEverywhere ? 'none is all of them' : 'only zones in which you hold these scopes'}`}
      >
        {(id) => <input id={id} name="zones" required={!isEverywhere} />}
      </Field>
      <Field label="Valid for days">
        {(id) => <input id={id} name="days" type="number" min="1" max="365" defaultValue="90" required />}
      </Field>
    </Confirm>
  );
}

function added(form: FormData): Promise<Reply<'createKey'>> {
  const zones = itemsIn(form, 'zones');
  const body = {
    name: String(form.get('name')),
    scopes: scopes.filter((scope) => form.get(scope) !== null),
    expiresInDays: Number(form.get('days')),
    ...(zones.length > 0 && { zones: [...zones] }),
  };
  return call('createKey', { body });
}
