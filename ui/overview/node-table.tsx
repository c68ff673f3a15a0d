import type { Reply } from '../api/call.ts';
import { Ago, Because, Empty, number, Status } from '../kit/kit.tsx';
import { PickButton, Table } from '../kit/table.tsx';

type Nodes = Reply<'listNodes'>['items'];
type Props = { readonly nodes: Nodes; readonly picked: string | undefined; readonly onPick: (node: string) => void };

/** The nodes of a zone as a table: all that the map shows, in words. */
export function NodeTable({ nodes, picked, onPick }: Props) {
  if (nodes.length === 0) return <Empty>No node has joined this zone yet.</Empty>;
  return (
    <Table
      of={nodes}
      keyOf={({ id }) => id}
      isPicked={({ id }) => id === picked}
      columns={[
        { title: 'Node', cell: ({ id, fqdn }) => <PickButton onPick={() => onPick(id)}>{fqdn}</PickButton> },
        { title: 'Status', cell: ({ status }) => <Status is={status} /> },
        { title: 'Systems', is: 'number', cell: ({ systemsAbout }) => number(systemsAbout) },
        { title: 'Slots', is: 'number', cell: ({ slots }) => number(slots) },
        { title: 'Heard', cell: ({ heardAt }) => <Ago at={heardAt} /> },
        { title: 'Why', cell: ({ because }) => <Because of={because} /> },
      ]}
    />
  );
}
