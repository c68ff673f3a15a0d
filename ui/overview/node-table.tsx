import type { Reply } from '../api/call.ts';
import { Ago, Empty, number, Status } from '../kit/kit.tsx';

type Nodes = Reply<'listNodes'>['items'];
type Props = { readonly nodes: Nodes; readonly picked: string | undefined; readonly onPick: (node: string) => void };

/** The nodes of a zone as a table: all that the map shows, in words. */
export function NodeTable({ nodes, picked, onPick }: Props) {
  if (nodes.length === 0) return <Empty>No node has joined this zone yet.</Empty>;
  return (
    <div className="scroll-x">
      <table className="list">
        <thead>
          <tr>
            <th>Node</th>
            <th>Status</th>
            <th className="number">Systems</th>
            <th className="number">Slots</th>
            <th>Heard</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map(({ id, fqdn, status, systemsAbout, slots, heardAt, because }) => (
            <tr key={id} aria-selected={id === picked}>
              <td>
                <button type="button" className="plain" onClick={() => onPick(id)}>
                  {fqdn}
                </button>
              </td>
              <td>
                <Status is={status} />
              </td>
              <td className="number">{number(systemsAbout)}</td>
              <td className="number">{number(slots)}</td>
              <td>
                <Ago at={heardAt} />
              </td>
              <td>{because}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
