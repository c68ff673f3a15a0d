import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { Panel, Refused } from '../kit/kit.tsx';
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
      <div className="scroll-x">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col" className="number">
                Services
              </th>
              <th scope="col" className="roomy">
                Runs
              </th>
              <th scope="col" className="roomy">
                Messages
              </th>
              <th scope="col">Needs</th>
              <th scope="col">
                <span className="unseen">Orders</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {(data ?? [])
              .toSorted((a, b) => b.origin.localeCompare(a.origin, 'en'))
              .map((type) => (
                <tr key={type.name}>
                  <td>
                    <b>{type.name}</b> <small className="soft">{type.origin === 'muster' ? 'of Muster' : 'your own'}</small>
                    {type.shutOut && <p className="note bad">{type.shutOut.because}</p>}
                  </td>
                  <td className="number">{services.filter((one) => one.type === type.name).length}</td>
                  <td className="says roomy">{programOf(type)}</td>
                  <td className="roomy">{type.messages.map(({ name }) => name).join(', ')}</td>
                  <td>
                    <code>{type.takesCommand ? 'execute' : 'operate'}</code>
                  </td>
                  <td>
                    {mayStart(type) && (
                      <button type="button" onClick={() => onStart(type.name)}>
                        Start…
                      </button>
                    )}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
