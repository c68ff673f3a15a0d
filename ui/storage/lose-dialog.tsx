import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { count, Dialog, Field } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { labelsOf } from './lose.ts';

/** How many labels are offered: the most frequent. */
const labelsMax = 24;

type Props = { readonly zone: string; readonly was?: string; readonly onLose: (lose: string) => void; readonly onClose: () => void };

/** Asks for what is supposed to be lost: hosts, labels of nodes such as `rack=r12`, or places of the facts. */
export function LoseDialog({ zone, was = '', onLose, onClose }: Props) {
  const [text, setText] = useState(was);
  const labels = labelsOf(useQuery(asks.nodes(zone)).data ?? []).slice(0, labelsMax);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    onClose();
    onLose(text.trim());
  };
  const add = (label: string): void => setText((before) => (before.trim() === '' ? label : `${before.trim()},${label}`));
  return (
    <Dialog label="What if" onClose={onClose}>
      <h2>What if this were lost?</h2>
      <form onSubmit={submit}>
        <Field
          label="Lost"
          hint="Hosts by name, labels such as rack=r12, or places: site=1, rack=1/2, enclosure=e17. Commas between several."
        >
          {(id) => <input id={id} value={text} spellCheck={false} autoComplete="off" onChange={(event) => setText(event.target.value)} />}
        </Field>
        {labels.map(([label, nodes]) => (
          <button key={label} type="button" className="chip" title={count(nodes, 'node')} onClick={() => add(label)}>
            {label}
          </button>
        ))}
        <div className="actions">
          <button type="submit" className="primary" disabled={text.trim() === ''}>
            Show what would go
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
        <p className="soft">Nothing happens: it is computed on a copy.</p>
      </form>
    </Dialog>
  );
}
