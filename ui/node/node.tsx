import { queryOptions, useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { Because, count, Panel, Refused, Status, Waiting } from '../kit/kit.tsx';
import { go, Link, type ViewProps } from '../router.tsx';
import { Why } from '../why/why.tsx';
import { Actions } from './actions.tsx';
import { NodeFacts } from './node-facts.tsx';

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
          · <Because of={because} />
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
