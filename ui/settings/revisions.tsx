import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, Because, Facts, Field, Refused } from '../kit/kit.tsx';
import { OrderButton } from '../kit/order.tsx';
import { asks, client } from '../live/queries.ts';
import { Link } from '../router.tsx';

type Content = Reply<'getContent'>;

const words = {
  failed: 'could not take it',
  open: 'is at it',
  due: 'waits for its turn',
  edited: 'keeps changes of its own',
  away: 'is not up',
} as const;

const said = ({ because }: Content): string => {
  for (const name of ['content', 'seat']) void client.invalidateQueries({ queryKey: [name] });
  return because;
};

/** The last revision of the common content of a zone, how far its servers are, and the orders about it. */
export function Revisions({ zone }: { readonly zone: string }) {
  const { data: of, error } = useQuery(asks.content(zone));
  if (error && !of) return <Refused error={error} />;
  if (!of) return null;
  const rest = of.servers.filter(({ is }) => is !== 'reached');
  return (
    <>
      <Facts of={factsOf(of)} />
      <p>
        <Because of={of.because} />
      </p>
      {of.revision > 0 && rest.length > 0 && (
        <ul>
          {rest.map(({ fqdn, is, why }) => (
            <li key={fqdn}>
              <Link to={`/nodes/${fqdn}`}>{fqdn}</Link> {is !== 'reached' && words[is]}
              {why.length > 0 && `: ${why.join('; ')}`}
            </li>
          ))}
        </ul>
      )}
      <Orders of={of} />
    </>
  );
}

function factsOf({ revisions, servers, reading }: Content): readonly (readonly [string, ReactNode])[] {
  const [last] = revisions;
  const reached = servers.filter(({ is }) => is === 'reached').length;
  const revision = last && (
    <>
      {last.revision}, of {last.fqdn}, <Ago at={last.at} />
    </>
  );
  return [
    ['Revision', revision ?? 'none'],
    ['On', last && `${reached} of ${servers.length} servers`],
    ['Being read', reading && `${reading.fqdn}: ${reading.because}`],
  ];
}

function Orders({ of }: { readonly of: Content }) {
  const me = useQuery(asks.whoAmI).data;
  const [isAsked, ask] = useState(false);
  const { zone, reading, servers } = of;
  const hasFailed = servers.some(({ is }) => is === 'failed');
  return (
    <div className="actions">
      {may(me?.rights, 'applyContent', zone) && !reading && (
        <button type="button" onClick={() => ask(true)}>
          Apply to all servers…
        </button>
      )}
      {may(me?.rights, 'resumeContent', zone) && hasFailed && (
        <OrderButton does={() => call('resumeContent', { params: { zone } })} done={said}>
          Try again
        </OrderButton>
      )}
      {isAsked && <Apply of={of} onClose={() => ask(false)} />}
    </div>
  );
}

const Apply = ({ of: { zone, servers }, onClose }: { readonly of: Content; readonly onClose: () => void }) => (
  <Confirm
    title="Apply to all servers?"
    action="Apply it"
    does={(form) => {
      const [from, removes] = [String(form.get('from')), form.get('removes') !== null];
      const body = { because: String(form.get('because')), removes, ...(from !== '' && { from }) };
      return call('applyContent', { params: { zone }, body });
    }}
    done={said}
    onClose={onClose}
  >
    <p>
      The content of one server is read as the next revision, which goes to one server, to a tenth, and then to all. Nobody edits until it
      has been read.
    </p>
    <Field label="Content of">
      {(id) => (
        <select id={id} name="from">
          <option value="">the one that was edited last</option>
          {servers.map(({ fqdn }) => (
            <option key={fqdn} value={fqdn}>
              {fqdn}
            </option>
          ))}
        </select>
      )}
    </Field>
    <Field label="Because">{(id) => <input id={id} name="because" required maxLength={200} />}</Field>
    <label>
      <input type="checkbox" name="removes" /> Remove what servers have beyond it
    </label>
  </Confirm>
);
