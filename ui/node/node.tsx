import { queryOptions, useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { Ago, count, Facts, number, Outside, Panel, Refused, Sparkline, Status, Waiting } from '../kit/kit.tsx';
import { go, Link, type ViewProps } from '../router.tsx';
import { Why } from '../why/why.tsx';
import { Actions } from './actions.tsx';

const nodeOf = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'one', id],
    queryFn: ({ signal }) => call('getNode', { params: { id }, signal }),
    refetchInterval: 10_000,
  });

/** A node: its facts, why it is as it is, and what can be done with it, each shown before it is done. */
export default function Node({ params, search }: ViewProps) {
  const { data: node, error } = useQuery(nodeOf(params['id']!));
  if (error && !node) return <Refused error={error} />;
  if (!node) return <Waiting />;
  const { id, fqdn, status, kind, zone, because } = node;
  return (
    <div className="node">
      <header>
        <h1>{fqdn}</h1>
        <Status is={status} />
        <p className="soft">
          {kind} node of zone{' '}
          <Link to="/" search={{ zone, node: id }}>
            {zone}
          </Link>{' '}
          · {because}
        </p>
      </header>
      <Notes of={node} />
      <Actions node={node} asked={search['do']} onAsk={(what) => go(`/nodes/${id}`, { do: what }, { replace: true })} />
      <div className="split">
        <Panel title="Facts">
          <NodeFacts of={node} />
        </Panel>
        <aside>
          <Panel title="Why and how">
            <Why kind="node" id={id} />
          </Panel>
        </aside>
      </div>
    </div>
  );
}

/** What is out of the ordinary about a node, each in a line with its reason. */
function Notes({ of: { leaving, dropped, replacedBy, replaces, silenceHeld, removedAt, flaps } }: { readonly of: Reply<'getNode'> }) {
  const calms = flaps && new Date(flaps.calmAt).toLocaleTimeString('en-GB');
  const notes = [
    leaving && `It leaves (${leaving.mode})${leaving.waitsFor === undefined ? '' : `, and waits for ${leaving.waitsFor}`}.`,
    dropped && `It was given up${dropped.planned ? ' on purpose' : ''}: it must join again as a new node.`,
    removedAt && 'An operator removed it for good.',
    replacedBy && `${replacedBy.node} takes its place.`,
    replaces && `It takes the place of ${replaces} once it is ready.`,
    silenceHeld && `${count(silenceHeld.vanished, 'client system')} vanished from its digest at once: none of them is called silent yet.`,
    flaps && flaps.score >= 1 && `It was lost and came back of late; it counts as calm at ${calms}.`,
  ].filter((note) => typeof note === 'string');
  return notes.map((note) => (
    <p key={note} className="note">
      {note}
    </p>
  ));
}

function NodeFacts({ of }: { readonly of: Reply<'getNode'> }) {
  const { systemsAbout, capacity, silentAbout = 0, slots, heardAt, leaseUntil, load, weight, generation, incarnation, joinedAt } = of;
  const { key, labels, host, admitEveryMs, rate, watch, zone, fqdn, page } = of;
  const { at: _, ...facts } = host ?? {};
  const systems = (
    <Link to="/systems" search={{ q: `node:${fqdn}` }}>
      {number(systemsAbout)}
      {capacity !== undefined && ` of ${number(capacity)}`}
    </Link>
  );
  return (
    <>
      <Facts
        of={[
          ['Client systems', systems],
          [
            'Silent',
            silentAbout > 0 ? (
              <Link key="silent" to="/systems" search={{ q: `node:${fqdn} silent:>0s` }}>
                {number(silentAbout)}
              </Link>
            ) : undefined,
          ],
          ['Slots', number(slots)],
          ['Heard', <Ago key="heard" at={heardAt} suffix=" ago" />],
          ['Lease until', leaseUntil && new Date(leaseUntil).toLocaleTimeString('en-GB')],
          ['Load', load?.load1],
          ['Weight', weight],
          [
            'Admits one each',
            rate ? `${rate.everyMs / 1_000} s: ${rate.because}` : admitEveryMs === undefined ? undefined : `${admitEveryMs / 1_000} s`,
          ],
          ['Boot and generation', `${incarnation} · ${generation}`],
          ['Joined', <Ago key="joined" at={joinedAt} suffix=" ago" />],
          ['Watched at', watch],
          ['Zone', zone],
          ['Its own page', page && <Outside key="page" to={page} />],
        ]}
      />
      <Loads of={of} />
      {key && (
        <>
          <h3>Key</h3>
          <p className="mono wrap">{key.fingerprint}</p>
        </>
      )}
      {Object.keys(labels).length > 0 && (
        <>
          <h3>Labels</h3>
          <p>
            {Object.entries(labels).map(([name, value]) => (
              <span key={name} className="tag">
                {name}={value}
              </span>
            ))}
          </p>
        </>
      )}
      {host && (
        <>
          <h3>Host</h3>
          <Facts of={Object.entries(facts).map(([name, value]) => [name, factText(value)])} />
        </>
      )}
    </>
  );
}

/** A fact as a person reads it: lists by their items, each by its values. */
const factText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(factText).join('; ');
  return typeof value === 'object' && value !== null ? Object.values(value).join(' ') : String(value);
};

/** Its load over the last hour, as far as Muster remembers it. */
function Loads({ of: { loads = [] } }: { readonly of: Reply<'getNode'> }) {
  if (loads.length === 0) return null;
  const values = loads.map(({ load }) => load);
  return (
    <>
      <h3>Load of the last hour</h3>
      <Sparkline values={values} label={`Load between ${Math.min(...values)} and ${Math.max(...values)}`} />
    </>
  );
}
