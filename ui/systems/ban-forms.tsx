import { type ReactNode, useState } from 'react';
import { count, Field, number } from '../kit/kit.tsx';
import { plainOrders } from './acts.tsx';
import type { System } from './asks.ts';
import { confirmDigits, confirms } from './fingerprint.ts';
import { type Give, sure, useOrder } from './order-form.ts';
import { isTotal } from './whom.ts';

/** How many client systems a list names. */
const namedMax = 200;

/** A ban is for ever, and goes by the key: a person confirms it by digits of the fingerprint. */
export function BanForm({ systems, give }: { readonly systems: readonly System[]; readonly give: Give }) {
  const [typed, type] = useState('');
  const [first] = systems;
  const isSure = first !== undefined && confirms(typed, first.fp);
  useOrder(give, isSure ? plainOrders.ban : undefined, String(isSure));
  return (
    <>
      <Banned of={systems.length} />
      <ul className="banned">
        {systems.slice(0, namedMax).map(({ fp, fqdn }, n) => (
          <li key={fp}>
            <code className={n === 0 ? 'is-first' : ''}>{fp.slice(0, confirmDigits)}</code> {fqdn}
          </li>
        ))}
        {systems.length > namedMax && <li>and {count(systems.length - namedMax, 'more', 'more')}</li>}
      </ul>
      <Confirmed
        label={`The first ${confirmDigits} digits of the ${systems.length === 1 ? '' : 'first '}fingerprint, to confirm`}
        typed={typed}
        onType={type}
      />
    </>
  );
}

type TotalFormProps = { readonly act: 'ban' | 'unregister'; readonly total: number; readonly give: Give };

/** What takes all that match away is confirmed by how many they are. */
export function TotalForm({ act, total, give }: TotalFormProps) {
  const [typed, type] = useState('');
  const isSure = isTotal(typed, total);
  useOrder(give, isSure ? plainOrders[act] : undefined, String(isSure));
  return (
    <>
      {act === 'ban' ? <Banned of={total} /> : <p>{sure[act]}</p>}
      <Confirmed label={`Type ${number(total)}, the number of client systems, to confirm`} typed={typed} onType={type} />
    </>
  );
}

const Banned = ({ of }: { readonly of: number }) => (
  <p>
    <b>{of === 1 ? 'This key is' : `These ${number(of)} keys are`} banned for ever.</b> A machine with a banned key is never accepted again;
    to come back it needs a new key.
  </p>
);

type ConfirmedProps = { readonly label: string; readonly typed: string; readonly onType: (typed: string) => void };

const Confirmed = ({ label, typed, onType }: ConfirmedProps): ReactNode => (
  <Field label={label}>
    {(id) => (
      <input id={id} className="mono" value={typed} onChange={({ target }) => onType(target.value)} autoComplete="off" spellCheck={false} />
    )}
  </Field>
);
