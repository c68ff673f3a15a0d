import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { call, type Reply, type Sent } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Facts, Field, number, Panel, Refused, Waiting } from '../kit/kit.tsx';
import { useOrder } from '../kit/order.tsx';
import { say } from '../kit/toasts.tsx';
import { asks, client } from '../live/queries.ts';

/** The settings of the whole deployment. */
export function Deployment() {
  const { data, error } = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => call('getSettings', { signal }) });
  const rights = useQuery(asks.whoAmI).data?.rights;
  const status = useQuery(asks.status).data;
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  return (
    <Panel title={status?.deployment ?? 'Deployment'}>
      <Facts
        of={[
          ['Version', status?.version],
          ['Heartbeats now every', `${data.intervalMs / 1_000} s`],
          ['Nodes admitted', data.admittedNodes === undefined ? undefined : number(data.admittedNodes)],
          ['Fastest heartbeat', `${data.beatMinMs / 1_000} s`],
          ['Calls without a token', data.openCalls ? 'answered' : 'refused'],
          ['New machines an hour from one address', data.newKeysPerSource === 0 ? 'any number' : number(data.newKeysPerSource ?? 0)],
        ]}
      />
      {may(rights, 'editSettings') && <EditSettings key={`${data.beatMinMs} ${data.newKeysPerSource} ${data.openCalls}`} of={data} />}
    </Panel>
  );
}

type Settings = Reply<'getSettings'>;
type Edit = NonNullable<Sent<'editSettings'>['body']>;

/** What a form sets: only what differs, so that what another one has set meanwhile stays. */
function editIn(form: FormData, of: Settings): Edit {
  const beatMinMs = Math.round(Number(form.get('beat')) * 1_000);
  const newKeysPerSource = Number(form.get('new'));
  const openCalls = form.get('open') !== null;
  return {
    ...(beatMinMs !== of.beatMinMs && { beatMinMs }),
    ...(newKeysPerSource !== (of.newKeysPerSource ?? 0) && { newKeysPerSource }),
    ...(openCalls !== (of.openCalls ?? false) && { openCalls }),
  };
}

const set = (): string => {
  void client.invalidateQueries({ queryKey: ['settings'] });
  return 'Set';
};

function EditSettings({ of }: { readonly of: Settings }) {
  const { isBusy, error, order } = useOrder();
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const body = editIn(new FormData(event.currentTarget), of);
    if (Object.keys(body).length === 0) say('Nothing is different');
    else void order(() => call('editSettings', { body }), set);
  };
  return (
    <form onSubmit={save}>
      <div className="form-row">
        <Field label="Fastest heartbeat, in seconds" hint="Nodes are missed after a few of them">
          {(id) => <input id={id} name="beat" type="number" min="0.1" max="300" step="0.1" required defaultValue={of.beatMinMs / 1_000} />}
        </Field>
        <Field label="New machines an hour from one address" hint="0 is any number">
          {(id) => <input id={id} name="new" type="number" min="0" max="1000000" required defaultValue={of.newKeysPerSource ?? 0} />}
        </Field>
      </div>
      <label>
        <input type="checkbox" name="open" defaultChecked={of.openCalls ?? false} /> Answer the status calls of client systems without a
        valid token
      </label>
      <Refused error={error} />
      <div className="actions">
        <button type="submit" className="primary" aria-disabled={isBusy}>
          Save
        </button>
      </div>
    </form>
  );
}
