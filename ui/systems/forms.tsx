import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { Field, number, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { type Act, type Order, plainOrders } from './acts.tsx';
import { BanForm, TotalForm } from './ban-forms.tsx';
import { labelsIn } from './labels.ts';
import { type Give, sure, useOrder } from './order-form.ts';
import type { Whom } from './whom.ts';

type FormProps = { readonly whom: Whom; readonly give: Give };

/** Tags and groups to add, and those that the client systems have to take away. */
export function LabelForm({ whom, give }: FormProps) {
  const [typed, type] = useState({ tags: '', groups: '' });
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const of = (kind: 'tags' | 'groups') => {
    const prefix = `${kind} `;
    const remove = [...gone].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    return { add: labelsIn(typed[kind]).filter((label) => !remove.includes(label)), remove };
  };
  const [tags, groups] = [of('tags'), of('groups')];
  const isEmpty = [tags, groups].every(({ add, remove }) => add.length + remove.length === 0);
  const order: Order = (to) => call('editSystems', { body: { ...to, tags, groups } });
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
          <Present kind={kind} whom={whom} gone={gone} onToggle={toggle} />
        </div>
      ))}
    </>
  );
}

type PresentProps = {
  readonly kind: 'tags' | 'groups';
  readonly whom: Whom;
  readonly gone: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
};

/** The tags or groups that there are, each with how many have it: pressed ones are taken away. */
function Present({ kind, whom, gone, onToggle }: PresentProps) {
  const present = whom[kind];
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
          {label} {whom.total > 1 && <span className="number">{number(n)}</span>}
        </button>
      ))}
    </div>
  );
}

/** The node to pin to, of the zone that the client systems are in. */
export function PinForm({ whom: { zones }, give }: FormProps) {
  const [zone] = zones;
  if (zone === undefined || zones.length > 1)
    return (
      <p className="note">
        {zone === undefined
          ? 'None of them belongs to a zone yet: accept them first.'
          : `They are in the zones ${zones.join(', ')}. A node has client systems of its own zone alone: pin those of one zone at a time.`}
      </p>
    );
  return <PinIn {...{ zone, give }} />;
}

function PinIn({ zone, give }: { readonly zone: string; readonly give: Give }) {
  const nodes = useQuery(asks.nodes(zone)).data;
  const [node, setNode] = useState('');
  const [soft, setSoft] = useState(false);
  useOrder(give, node === '' ? undefined : (to) => call('pinSystems', { body: { ...to, node, soft } }), `${node} ${soft}`);
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

/** An order without anything to choose: it says what will happen. */
export function SureForm({ act, give }: { readonly act: 'unpin' | 'unregister'; readonly give: Give }) {
  useOrder(give, plainOrders[act], act);
  return <p>{sure[act]}</p>;
}

/** The form of what is to be done. */
export function formOf(act: Act, whom: Whom): (give: Give) => ReactNode {
  return (give) => {
    if (act === 'label') return <LabelForm whom={whom} give={give} />;
    if (act === 'pin') return <PinForm whom={whom} give={give} />;
    if (act === 'unpin') return <SureForm act={act} give={give} />;
    if (whom.systems === undefined) return <TotalForm key={act} act={act} total={whom.total} give={give} />;
    return act === 'ban' ? <BanForm systems={whom.systems} give={give} /> : <SureForm act={act} give={give} />;
  };
}
