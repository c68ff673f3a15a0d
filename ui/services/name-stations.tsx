import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Field } from '../kit/kit.tsx';
import { asks, client } from '../live/queries.ts';
import type { Stations } from './asks.ts';
import { hostsIn } from './listed.ts';

type Props = { readonly of: Stations; readonly onClose: () => void };

/** Names the stations of a zone. Another set than the present one takes the majority of that. */
export function NameStations({ of: { zone, stations }, onClose }: Props) {
  const [text, setText] = useState(() => stations.map(({ host }) => host).join('\n'));
  const hosts = hostsIn(text);
  const isNone = hosts.length === 0;
  return (
    <Confirm
      title={`Name the stations of ${zone}`}
      action={isNone && stations.length > 0 ? 'Have no stations' : `Name ${hosts.length === 1 ? 'it' : 'them'}`}
      leave="Leave it as it is"
      isIncomplete={isNone && stations.length === 0}
      does={() => call('putStations', { params: { zone }, body: { hosts: [...hosts], update: stations.length > 0 } })}
      done={({ because }) => {
        void client.invalidateQueries({ queryKey: ['stations'] });
        return because;
      }}
      onClose={onClose}
    >
      <p>
        From then on a host is only given up, and a level only changes, when a majority of these agrees. Three or five are usual
        {stations.length > 0 && '; none at all ends it'}.
      </p>
      <Field label="Hosts" hint="One a line, by full name. A host may be named before it is a node.">
        {(id) => <textarea id={id} rows={6} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <Others zone={zone} hosts={hosts} onAdd={(host) => setText([...hosts, host].join('\n'))} />
      {!isNone && hosts.length % 2 === 0 && (
        <p className="note">
          An even number: {hosts.length} stations bear no more losses than {hosts.length - 1}.
        </p>
      )}
    </Confirm>
  );
}

/** How many nodes are offered. */
const offeredMax = 20;

type OthersProps = { readonly zone: string; readonly hosts: readonly string[]; readonly onAdd: (host: string) => void };

/** The nodes that are not named yet. */
function Others({ zone, hosts, onAdd }: OthersProps) {
  const nodes = useQuery(asks.nodes(zone)).data ?? [];
  return (
    <p>
      {nodes
        .filter(({ fqdn }) => !hosts.includes(fqdn))
        .slice(0, offeredMax)
        .map(({ id, fqdn }) => (
          <button key={id} type="button" className="chip" onClick={() => onAdd(fqdn)}>
            + {fqdn}
          </button>
        ))}
    </p>
  );
}
