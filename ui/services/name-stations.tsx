import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { Dialog, Field, Refused } from '../kit/kit.tsx';
import { say } from '../kit/toasts.tsx';
import { asks, client } from '../live/queries.ts';
import type { Stations } from './asks.ts';

/** The hosts that a text names: one a line, or with blanks or commas between. */
const hostsIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((host) => host !== ''))];

/** Names the stations of a zone. Another set than the present one takes the majority of that. */
export function NameStations({ of: { zone, stations }, onClose }: { readonly of: Stations; readonly onClose: () => void }) {
  const nodes = useQuery(asks.nodes(zone)).data ?? [];
  const [text, setText] = useState(() => stations.map(({ host }) => host).join('\n'));
  const [refused, setRefused] = useState<unknown>();
  const hosts = hostsIn(text);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      say((await call('putStations', { params: { zone }, body: { hosts, update: stations.length > 0 } })).because);
      await client.invalidateQueries({ queryKey: ['stations'] });
      onClose();
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <Dialog label="Name stations" onClose={onClose}>
      <h2>Name the stations of {zone}</h2>
      <form onSubmit={(event) => void submit(event)}>
        <p>
          From then on a host is only given up, and a level only changes, when a majority of these agrees. Three or five are usual
          {stations.length > 0 && '; none at all ends it'}.
        </p>
        <Field label="Hosts" hint="One a line, by full name. A host may be named before it is a node.">
          {(id) => <textarea id={id} rows={6} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />}
        </Field>
        <p>
          {nodes
            .filter(({ fqdn }) => !hosts.includes(fqdn))
            .slice(0, 20)
            .map(({ id, fqdn }) => (
              <button key={id} type="button" className="chip" onClick={() => setText([...hosts, fqdn].join('\n'))}>
                + {fqdn}
              </button>
            ))}
        </p>
        {hosts.length > 0 && hosts.length % 2 === 0 && (
          <p className="note">
            An even number: {hosts.length} stations bear no more losses than {hosts.length - 1}.
          </p>
        )}
        <Refused error={refused} />
        <div className="actions">
          <button type="submit" className="primary" disabled={hosts.length === 0 && stations.length === 0}>
            {hosts.length === 0 && stations.length > 0 ? 'Have no stations' : `Name ${hosts.length === 1 ? 'it' : 'them'}`}
          </button>
          <button type="button" onClick={onClose}>
            Leave it as it is
          </button>
        </div>
      </form>
    </Dialog>
  );
}
