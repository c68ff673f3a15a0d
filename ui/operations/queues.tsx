import { useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { Ago, number, Panel, Refused, Status, Waiting } from '../kit/kit.tsx';
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
        {queues.data ? <QueueTable of={queues.data.queues} /> : !queues.error && <Waiting />}
      </Panel>
      <br />
      <Panel title="Rules">
        <Refused error={rules.error} />
        {rules.data ? <RuleTable of={rules.data.items} /> : !rules.error && <Waiting />}
      </Panel>
    </>
  );
}

const QueueTable = ({ of }: { readonly of: Reply<'listQueues'>['queues'] }) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          <th>Queue</th>
          <th className="number">Messages</th>
          <th className="number">Delayed</th>
          <th className="number">In work</th>
          <th>Oldest</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ queue, messages, delayed, hidden, oldestAgeMs }) => (
          <tr key={queue}>
            <td>{queue}</td>
            <td className="number">{number(messages)}</td>
            <td className="number">{delayed === undefined ? '–' : number(delayed)}</td>
            <td className="number">{hidden === undefined ? '–' : number(hidden)}</td>
            <td>{oldestAgeMs === undefined ? '–' : spanText(oldestAgeMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const RuleTable = ({ of }: { readonly of: Reply<'listRules'>['items'] }) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          <th>Rule</th>
          <th>State</th>
          <th>Does</th>
          <th className="number">Handled</th>
          <th className="number">Failed</th>
          <th>Last</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ type, check, consumes, does, counted }) => (
          <tr key={type}>
            <td>{type}</td>
            <td>
              <Status is={check.exit === 0 ? 'ok' : 'failed'}>{check.exit === 0 ? 'well' : 'not well'}</Status>
              {check.exit !== 0 && <p className="soft">{check.says.join('; ')}</p>}
            </td>
            <td>
              {does} <span className="soft">({consumes})</span>
            </td>
            <td className="number">{counted ? number(counted.handled) : '–'}</td>
            <td className="number">{counted ? number(counted.failed) : '–'}</td>
            <td>
              <Ago at={counted?.lastAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
