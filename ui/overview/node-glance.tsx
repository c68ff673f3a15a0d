import type { Reply } from '../api/call.ts';
import { Ago, CloseButton, Facts, number, Panel, Status, short } from '../kit/kit.tsx';
import { Link } from '../router.tsx';
import { Why } from '../why/why.tsx';

/** A node beside the map: what one wants to know first, and the way to all of it. */
export function NodeGlance({ node, onClose }: { readonly node: Reply<'getNode'>; readonly onClose: () => void }) {
  const { id, fqdn, kind, status, systemsAbout, capacity, silentAbout = 0, slots, heardAt, load, generation, weight } = node;
  return (
    <Panel
      className="glance"
      title={short(fqdn)}
      actions={
        <>
          <Status is={status} />
          <CloseButton onClose={onClose} />
        </>
      }
    >
      <p className="soft">
        {fqdn} · {kind}
      </p>
      <Facts
        of={[
          ['Systems', capacity === undefined ? number(systemsAbout) : `${number(systemsAbout)} of ${number(capacity)}`],
          ['Silent', silentAbout > 0 ? number(silentAbout) : undefined],
          ['Slots', number(slots)],
          ['Heard', <Ago key="heard" at={heardAt} suffix=" ago" />],
          ['Load', load?.load1],
          ['Generation', generation],
          ['Weight', weight],
        ]}
      />
      <div className="actions">
        <Link className="primary" to={`/nodes/${id}`}>
          Open
        </Link>
        <Link className="button" to={`/nodes/${id}`} search={{ do: 'drop' }}>
          What if it were gone?
        </Link>
      </div>
      <Why kind="node" id={id} />
    </Panel>
  );
}
