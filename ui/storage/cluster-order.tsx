import { useState } from 'react';
import { call } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import { count, Field } from '../kit/kit.tsx';
import type { Status } from './asks.ts';
import { rungsOf } from './levels.ts';

/** An order about a whole cluster. */
export type Order = 'start' | 'stop' | 'reset';
type Props = { readonly order: Order; readonly status: Status; readonly onClose: () => void };

/** Says what an order about the cluster does, and gives it once that is confirmed. */
export function ClusterOrder({ order, ...rest }: Props) {
  if (order === 'start') return <Start {...rest} />;
  return order === 'stop' ? <Stop {...rest} /> : <Reset {...rest} />;
}

type Of = Omit<Props, 'order'>;

const leave = 'Leave it as it is';

function Start({ status, onClose }: Of) {
  const { zone } = status;
  return (
    <Confirm
      title={`Start the cluster of ${zone}`}
      action="Start it"
      leave={leave}
      onClose={onClose}
      does={() => call('startMero', { params: { zone } })}
      done={({ because }) => because}
    >
      <p>The cluster must be ONLINE then. Its levels go up one after another, each once all is there that it needs:</p>
      <ol className="steps">
        {rungsOf(status)
          .toReversed()
          .map(({ level, name, all, needs }) => (
            <li key={level} value={level}>
              <b>{count(all, 'process', 'processes')}</b> of {name}: {needs}
            </li>
          ))}
      </ol>
      <p className="soft">Processes that an operator has stopped stay stopped. Applications that Muster does not manage are left alone.</p>
    </Confirm>
  );
}

function Stop({ status, onClose }: Of) {
  const { zone, managed } = status;
  const [force, setForce] = useState(false);
  const [reason, setReason] = useState('');
  const body = { force, ...(reason.trim() !== '' && { reason: reason.trim() }) };
  return (
    <Confirm
      title={`Stop the cluster of ${zone}`}
      action="Stop it"
      leave={leave}
      isDanger
      onClose={onClose}
      does={() => call('stopMero', { params: { zone }, body })}
      done={({ because }) => because}
    >
      <p>
        The cluster must be OFFLINE then. <b>{count(managed.running, 'process', 'processes')}</b> end, level by level from the top, each
        level once nothing above it runs. Nothing is stored or read until it is started again.
      </p>
      <Field label="Reason" hint="It stands in the history. Optional.">
        {(id) => <input id={id} value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      <label>
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} /> Leave behind processes that take
        longer to stop than they may
      </label>
    </Confirm>
  );
}

const modes = [
  ['soft', 'Forget what its processes do, until their hosts have reported it', 'Only of a stopped cluster.'],
  ['unstick', 'Give a late step its time again', 'Forgets nothing: the levels are looked at anew.'],
  ['hard', 'Forget it in any state, and be OFFLINE at once', 'Running processes are stopped without their levels being waited for.'],
] as const;

function Reset({ status, onClose }: Of) {
  const { zone, disposition } = status;
  const [mode, setMode] = useState<(typeof modes)[number][0]>(disposition === 'OFFLINE' ? 'soft' : 'unstick');
  const done = ({ because, processes }: { readonly because: string; readonly processes: number }): string =>
    `${because} (${count(processes, 'process', 'processes')})`;
  return (
    <Confirm
      title={`Reset the cluster of ${zone}`}
      action="Reset it"
      leave={leave}
      isDanger
      onClose={onClose}
      does={() => call('resetMero', { params: { zone }, body: { mode } })}
      done={done}
    >
      <p>For when what Muster has on record is wrong.</p>
      <fieldset className="choices">
        <legend className="unseen">How</legend>
        {modes.map(([value, does, hint]) => (
          <label key={value}>
            <input type="radio" name="mode" checked={mode === value} onChange={() => setMode(value)} />
            <span>
              <b>{does}</b>
              <small>{hint}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  );
}
