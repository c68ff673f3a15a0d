import { useQuery } from '@tanstack/react-query';
import { Field } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import type { ServiceType } from './asks.ts';

type TypeProps = {
  readonly types: readonly ServiceType[];
  readonly type: ServiceType | undefined;
  readonly onType: (name: string) => void;
};

/** Which type of service is started. */
export const TypeField = ({ types, type, onType }: TypeProps) => (
  <Field label="Type" hint={type?.takesCommand === true && 'It takes a command: starting it runs what its configuration says.'}>
    {(id) => (
      <select id={id} value={type?.name ?? ''} onChange={(event) => onType(event.target.value)}>
        {types.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </select>
    )}
  </Field>
);

type NodesProps = { readonly zone: string; readonly hosts: readonly string[]; readonly onHosts: (hosts: readonly string[]) => void };

/** On which nodes it is started. */
export function NodesField({ zone, hosts, onHosts }: NodesProps) {
  const nodes = useQuery(asks.nodes(zone)).data ?? [];
  const inOrder = nodes.toSorted((a, b) => a.fqdn.localeCompare(b.fqdn, 'en', { numeric: true }));
  return (
    <Field label="Nodes" hint="Several with Control or Shift. On a node that is away the order waits until it is back.">
      {(id) => (
        <select
          id={id}
          multiple
          size={Math.min(8, Math.max(3, nodes.length))}
          value={hosts}
          onChange={(event) => onHosts([...event.target.selectedOptions].map((option) => option.value))}
        >
          {inOrder.map(({ id: node, fqdn, status }) => (
            <option key={node} value={fqdn}>
              {fqdn} ({status})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
