import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { Panel, Refused } from '../kit/kit.tsx';
import { Table } from '../kit/table.tsx';
import { asks } from '../live/queries.ts';
import { type Service, type ServiceType, typesOf } from './asks.ts';
import { isOrdered } from './listed.ts';

type Props = { readonly zone: string; readonly services: readonly Service[]; readonly onStart: (type: string) => void };

/** What runs the services of a type: its command, or Muster's own agent. */
const programOf = ({ program }: ServiceType): string => (program.is === 'command' ? program.start.join(' ') : `built in: ${program.does}`);

/** The types of services of a zone: what runs them, what they understand, and who may start them. */
export function Types({ zone, services, onStart }: Props) {
  const { data, error } = useQuery(typesOf(zone));
  const rights = useQuery(asks.whoAmI).data?.rights;
  const mayStart = ({ name, takesCommand }: ServiceType): boolean =>
    isOrdered(name) && may(rights, 'startService', zone) && (!takesCommand || may(rights, 'putServiceType', zone));
  return (
    <Panel title="Types" className="types">
      <Refused error={error} />
      <Table
        of={(data ?? []).toSorted((a, b) => b.origin.localeCompare(a.origin, 'en'))}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Type', cell: (type) => <Name of={type} /> },
          { title: 'Services', is: 'number', cell: ({ name }) => services.filter(({ type }) => type === name).length },
          { title: 'Runs', is: 'says roomy', cell: programOf },
          { title: 'Messages', is: 'roomy', cell: ({ messages }) => messages.map(({ name }) => name).join(', ') },
          { title: 'Needs', cell: ({ takesCommand }) => <code>{takesCommand ? 'execute' : 'operate'}</code> },
          { title: 'Orders', isUnseen: true, cell: (type) => mayStart(type) && <Start onStart={() => onStart(type.name)} /> },
        ]}
      />
    </Panel>
  );
}

const Name = ({ of: { name, origin, shutOut } }: { readonly of: ServiceType }) => (
  <>
    <b>{name}</b> <small className="soft">{origin === 'muster' ? 'of Muster' : 'your own'}</small>
    {shutOut && <p className="note bad">{shutOut.because}</p>}
  </>
);

const Start = ({ onStart }: { readonly onStart: () => void }) => (
  <button type="button" onClick={onStart}>
    Start…
  </button>
);
