import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { count, Field, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { type Act, type Order, plainOrders } from './acts.tsx';
import type { System } from './asks.ts';
import { confirmDigits, confirms } from './fingerprint.ts';
import { counted, labelsIn } from './labels.ts';

/** A form about client systems; it gives the order that it stands for, or undefined while that is not clear. */
type FormProps = { readonly systems: readonly System[]; readonly give: (order: Order | undefined) => void };

/** Gives an order whenever what it is made of changes. */
function useOrder(give: FormProps['give'], order: Order | undefined, of: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` says what the order is made of
  useEffect(() => give(order), [of]);
}

/** Tags and groups to add, and those that the client systems have to take away. */
export function LabelForm({ systems, give }: FormProps) {
  const [typed, type] = useState({ tags: '', groups: '' });
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const of = (kind: 'tags' | 'groups') => {
    const prefix = `${kind} `;
    const remove = [...gone].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    return { add: labelsIn(typed[kind]).filter((label) => !remove.includes(label)), remove };
  };
  const [tags, groups] = [of('tags'), of('groups')];
  const isEmpty = [tags, groups].every(({ add, remove }) => add.length + remove.length === 0);
  const order: Order = (fps) => call('editSystems', { body: { systems: fps, tags, groups } });
  useOrder(give, isEmpty ? undefined : order, JSON.stringify([tags, groups]));
  const toggle = (key: string): void => setGone(new Set(gone.has(key) ? [...gone].filter((one) => one !== key) : [...gone, key]));
  return (
    <>
      {(['tags', 'groups'] as const).map((kind) => (
        <div key={kind}>
          <Field label={`Add ${kind}`} hint={kind === 'tags' ? 'Several are parted by commas or spaces' : undefined}>
            {(id) => (
              <input
                id={id}
                value={typed[kind]}
                onChange={(event) => type({ ...typed, [kind]: event.target.value })}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
          <Present kind={kind} systems={systems} gone={gone} onToggle={toggle} />
        </div>
      ))}
    </>
  );
}

type PresentProps = {
  readonly kind: 'tags' | 'groups';
  readonly systems: readonly System[];
  readonly gone: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
};

/** The tags or groups that there are, each with how many have it: pressed ones are taken away. */
function Present({ kind, systems, gone, onToggle }: PresentProps) {
  const present = counted(systems.map((system) => system[kind]));
  if (present.length === 0) return null;
  return (
    <div className="present">
      <small>Remove</small>
      {present.map(({ label, count: n }) => (
        <button
          key={label}
          type="button"
          className="chip"
          aria-pressed={gone.has(`${kind} ${label}`)}
          onClick={() => onToggle(`${kind} ${label}`)}
        >
          {label} {systems.length > 1 && <span className="number">{n}</span>}
        </button>
      ))}
    </div>
  );
}

/** The node to pin to, of the zone that the client systems are in. */
export function PinForm({ systems, give }: FormProps) {
  const zones = [...new Set(systems.flatMap(({ zone }) => zone ?? []))];
  const [zone] = zones;
  if (zone === undefined || zones.length > 1)
    return (
      <p className="note">
        {zone === undefined
          ? 'None of them belongs to a zone yet: accept them first.'
          : `They are in the zones ${zones.join(', ')}. A node has client systems of its own zone alone: pin those of one zone at a time.`}
      </p>
    );
  return <PinIn {...{ zone, systems, give }} />;
}

function PinIn({ zone, give }: FormProps & { readonly zone: string }) {
  const nodes = useQuery(asks.nodes(zone)).data;
  const [node, setNode] = useState('');
  const [soft, setSoft] = useState(false);
  useOrder(give, node === '' ? undefined : (fps) => call('pinSystems', { body: { systems: fps, node, soft } }), `${node} ${soft}`);
  if (nodes === undefined) return <Waiting />;
  return (
    <>
      <Field label={`Node of ${zone}`}>
        {(id) => (
          <select id={id} value={node} onChange={(event) => setNode(event.target.value)}>
            <option value="">Choose a node</option>
            {nodes.map(({ id: value, fqdn, status }) => (
              <option key={value} value={value}>
                {fqdn} · {status}
              </option>
            ))}
          </select>
        )}
      </Field>
      <label className="check">
        <input type="checkbox" checked={soft} onChange={(event) => setSoft(event.target.checked)} /> They may live elsewhere while that node
        is away
      </label>
      <p className="soft">
        {soft ? 'They come back to it when it is up again.' : 'They wait for that node and no other, however long it is away.'}
      </p>
    </>
  );
}

const sure: Readonly<Record<'unpin' | 'unregister', string>> = {
  unpin: 'They go by their slots again, and move to the nodes that own these.',
  unregister: 'They are taken off their nodes. Their keys stay accepted, and each is assigned a node again when it calls.',
};

/** An order without anything to choose: it says what will happen. */
export function SureForm({ act, give }: FormProps & { readonly act: 'unpin' | 'unregister' }) {
  useOrder(give, plainOrders[act], act);
  return <p>{sure[act]}</p>;
}

/** A ban is for ever, and goes by the key: a person confirms it by digits of the fingerprint. */
export function BanForm({ systems, give }: FormProps) {
  const [typed, type] = useState('');
  const [first] = systems;
  const isSure = first !== undefined && confirms(typed, first.fp);
  useOrder(give, isSure ? plainOrders.ban : undefined, String(isSure));
  return (
    <>
      <p>
        <b>{systems.length === 1 ? 'This key is' : `These ${systems.length} keys are`} banned for ever.</b> A machine with a banned key is
        never accepted again; to come back it needs a new key.
      </p>
      <ul className="banned">
        {systems.slice(0, 200).map(({ fp, fqdn }, n) => (
          <li key={fp}>
            <code className={n === 0 ? 'is-first' : ''}>{fp.slice(0, confirmDigits)}</code> {fqdn}
          </li>
        ))}
        {systems.length > 200 && <li>and {count(systems.length - 200, 'more', 'more')}</li>}
      </ul>
      <Field label={`The first ${confirmDigits} digits of the ${systems.length === 1 ? '' : 'first '}fingerprint, to confirm`}>
        {(id) => (
          <input
            id={id}
            className="mono"
            value={typed}
            onChange={(event) => type(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
    </>
  );
}

/** The form of what is to be done. */
export function formOf(act: Act, systems: readonly System[]): (give: FormProps['give']) => ReactNode {
  return (give) => {
    switch (act) {
      case 'label':
        return <LabelForm systems={systems} give={give} />;
      case 'pin':
        return <PinForm systems={systems} give={give} />;
      case 'ban':
        return <BanForm systems={systems} give={give} />;
      default:
        return <SureForm act={act} systems={systems} give={give} />;
    }
  };
}
