import { useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { Ago, number, Panel, Refused, Status, Waiting } from '../kit/kit.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { spanText } from '../kit/time.ts';

const everyMs = 5_000;

/** The queues with what waits in them, and Muster's own consumers with how they are. */
export function Queues() {
  const queues = useQuery({ queryKey: ['queues'], queryFn: ({ signal }) => call('listQueues', { signal }), refetchInterval: everyMs });
  const rules = useQuery({ queryKey: ['rules'], queryFn: ({ signal }) => call('listRules', { signal }), refetchInterval: everyMs });
  return (
    <>
      <Panel title="Queues">
        <Refused error={queues.error} />
        {queues.data ? <Table of={queues.data.queues} columns={queueColumns} keyOf={({ queue }) => queue} /> : !queues.error && <Waiting />}
      </Panel>
      <br />
      <Panel title="Rules">
        <Refused error={rules.error} />
        {rules.data ? <Table of={rules.data.items} columns={ruleColumns} keyOf={({ type }) => type} /> : !rules.error && <Waiting />}
      </Panel>
    </>
  );
}

type Queue = Reply<'listQueues'>['queues'][number];
type Rule = Reply<'listRules'>['items'][number];

const numberOr = (n: number | undefined): string => (n === undefined ? '–' : number(n));

const queueColumns: readonly Column<Queue>[] = [
  { title: 'Queue', cell: ({ queue }) => queue },
  { title: 'Messages', is: 'number', cell: ({ messages }) => number(messages) },
  { title: 'Delayed', is: 'number', cell: ({ delayed }) => numberOr(delayed) },
  { title: 'In work', is: 'number', cell: ({ hidden }) => numberOr(hidden) },
  { title: 'Oldest', cell: ({ oldestAgeMs }) => (oldestAgeMs === undefined ? '–' : spanText(oldestAgeMs)) },
];

const ruleColumns: readonly Column<Rule>[] = [
  { title: 'Rule', cell: ({ type }) => type },
  {
    title: 'State',
    cell: ({ check: { exit, says } }) => (
      <>
        <Status is={exit === 0 ? 'ok' : 'failed'}>{exit === 0 ? 'well' : 'not well'}</Status>
        {exit !== 0 && <p className="soft">{says.join('; ')}</p>}
      </>
    ),
  },
  {
    title: 'Does',
    cell: ({ does, consumes }) => (
      <>
        {does} <span className="soft">({consumes})</span>
      </>
    ),
  },
  { title: 'Handled', is: 'number', cell: ({ counted }) => numberOr(counted?.handled) },
  { title: 'Failed', is: 'number', cell: ({ counted }) => numberOr(counted?.failed) },
  { title: 'Last', cell: ({ counted }) => <Ago at={counted?.lastAt} /> },
];
