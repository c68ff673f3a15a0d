import { useQuery } from '@tanstack/react-query';
import { Problem } from '../api/call.ts';
import { Ago, CloseButton, Facts, Panel, Refused, Status, short, Waiting } from '../kit/kit.tsx';
import { spanText, useNow } from '../kit/time.ts';
import { go, Link } from '../router.tsx';
import { Why } from '../why/why.tsx';
import { type Service, serviceOf } from './asks.ts';
import { ServiceActions } from './service-actions.tsx';

type Props = { readonly zone: string; readonly type: string; readonly node: string; readonly onClose: () => void };

/** A service: its facts, what can be done with it, what it has answered, and why it is as it is. */
export function OneService({ zone, type, node, onClose }: Props) {
  const { data, error } = useQuery(serviceOf(zone, type, node));
  const isGone = error instanceof Problem && error.type === 'unknown-service';
  return (
    <Panel
      title={
        <>
          {type} {data && !isGone && <Status is={data.state} />}
        </>
      }
      actions={<CloseButton title="Escape" onClose={onClose} />}
    >
      {isGone && <p className="note">It is not registered there any more: it has ended, or somebody stopped it.</p>}
      {!isGone && <Refused error={data ? undefined : error} />}
      {!data && !error && <Waiting />}
      {data && !isGone && <Shown of={data} />}
      <Why kind="service" id={`${type}@${node}`} zone={zone} />
    </Panel>
  );
}

function Shown({ of }: { readonly of: Service }) {
  const { host, node, reason, since, registered, instance, pid, address, version, supervisor, attempts, previous, name } = of;
  return (
    <>
      <p className="soft">
        on{' '}
        <Link to={`/nodes/${node}`} title={host}>
          {host}
        </Link>
      </p>
      <Notes of={of} reason={reason} />
      <ServiceActions of={of} />
      <Facts
        of={[
          ['Since', <Ago key="since" at={since} />],
          ['Registered', <Ago key="registered" at={registered} suffix=" ago" />],
          ['Name', name],
          ['Instance', instance],
          ['Pid', pid],
          ['Address', address],
          ['Version', version],
          ['Was before', previous],
          ['Started again by rule', attempts],
          ['Watched from', supervisor && short(supervisor.host)],
        ]}
      />
      <Needs of={of} />
      <Configurations of={of} />
      <Answers of={of} />
    </>
  );
}

/** What is out of the ordinary, each in a line. */
function Notes({
  of: { retryAt, stopping, healthy, drift, supervisor },
  reason,
}: {
  readonly of: Service;
  readonly reason: string | undefined;
}) {
  const now = useNow();
  return (
    <>
      {reason !== undefined && <p className="note bad">{reason}</p>}
      {retryAt !== undefined && <p className="note">Muster starts it again in {spanText(Date.parse(retryAt) - now)}.</p>}
      {stopping && <p className="note">An operator is stopping it.</p>}
      {healthy === false && <p className="note bad">Its last check said that it is not well.</p>}
      {supervisor?.missedSince !== undefined && (
        <p className="note">
          The supervisor of {short(supervisor.host)} has not heard it for <Ago at={supervisor.missedSince} />.
        </p>
      )}
      {drift && (
        <p className="note">
          It has changed its configuration itself, <Ago at={drift.since} suffix=" ago" />
          {drift.differs.length > 0 && <>: {drift.differs.join(', ')}</>}.
        </p>
      )}
    </>
  );
}

/** The services that it needs, and the resources that it holds. */
function Needs({ of: { relations = [], resources, zone } }: { readonly of: Service }) {
  if (relations.length + resources.length === 0) return null;
  return (
    <>
      <h3>Needs and holds</h3>
      <ul className="touches">
        {relations.map(({ name, to, host, node, state }) => (
          <li key={name + to + host}>
            <small>{name}</small>{' '}
            {node === undefined ? (
              <>
                {to} on {short(host)}, <b>not registered</b>
              </>
            ) : (
              <button type="button" className="link" onClick={() => go('/services', { zone, pick: `${to}@${node}` })}>
                {to} on {short(host)}
              </button>
            )}{' '}
            {state !== undefined && <Status is={state} />}
          </li>
        ))}
        {resources.map(({ kind, id, hold }) => (
          <li key={kind + id}>
            <small>{hold === 'exclusive' ? 'holds alone' : 'shares'}</small> {kind} {id}
          </li>
        ))}
      </ul>
    </>
  );
}

const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

function Configurations({ of: { configuration, drift } }: { readonly of: Service }) {
  return (
    <details>
      <summary>Configuration</summary>
      <pre>{jsonText(configuration)}</pre>
      {drift && (
        <>
          <p className="soft">It runs with:</p>
          <pre>{jsonText(drift.configuration)}</pre>
        </>
      )}
    </details>
  );
}

/** What was asked of it, and what it has answered, the newest first. */
function Answers({ of: { asks, results } }: { readonly of: Service }) {
  if (asks.length + results.length === 0) return null;
  return (
    <>
      <h3>Answers</h3>
      <ol className="timeline">
        {asks.map(({ id, what, message }) => (
          <li key={id}>
            <b>{message ?? what}</b>
            <p>Its agent has been asked; the answer is awaited.</p>
          </li>
        ))}
        {results.toReversed().map(({ ask, what, message, exit, late, says, at }) => (
          <li key={`${at}${ask}`} className={exit === 0 ? '' : 'bad'}>
            <Ago at={at} />
            <b>{message ?? what}</b> {exit !== undefined && <span className="soft">exit {exit}</span>}{' '}
            {late && <span className="soft">late</span>}
            {says !== '' && <pre>{says}</pre>}
          </li>
        ))}
      </ol>
    </>
  );
}
