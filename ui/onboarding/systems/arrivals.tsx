import { useState } from 'react';
import { number, Refused, Status, short } from '../../kit/kit.tsx';
import { spanText, useNow } from '../../kit/time.ts';
import { acceptance, useAcceptance } from './accepting.ts';
import { type Accepted, summaryOf } from './arrivals.ts';
import { inOrder } from './groups.ts';

/** Those that were accepted on this page, until they are onboarded; nothing while none was. */
export function Arrivals() {
  const { running, followed, error } = useAcceptance();
  const [isOpen, setOpen] = useState(false);
  if (!running && followed.size === 0 && error === undefined) return null;
  const { accepted, onboarded, onTheirWay, nodes } = summaryOf(followed);
  const isOver = !running && onTheirWay === 0 && error === undefined;
  return (
    <section className={`arrivals${isOver ? ' is-over' : ''}`} aria-label="Accepted">
      <p role="status">
        <b>{number(accepted)} accepted:</b> <Status is="onboarded">{number(onboarded)} onboarded</Status>
        {onTheirWay > 0 && <Status is="orphan">{number(onTheirWay)} on their way</Status>}
      </p>
      {running && (
        <progress aria-label="Accepting" value={running.done} max={running.of}>
          {running.done} of {running.of}
        </progress>
      )}
      <ul className="nodes" aria-label="On nodes">
        {nodes.map(({ node, n }) => (
          <li key={node} title={node}>
            {short(node)} <b>{number(n)}</b>
          </li>
        ))}
      </ul>
      {onTheirWay > 0 && (
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Which ones
        </button>
      )}
      {!running && (
        <button type="button" className="quiet" onClick={() => acceptance.dismiss()}>
          {isOver ? 'Done' : 'Hide'}
        </button>
      )}
      <Refused error={error} />
      {isOpen && onTheirWay > 0 && <OnTheirWay of={[...followed.values()].filter(({ status }) => status === 'orphan')} />}
    </section>
  );
}

const listedMax = 20;

function OnTheirWay({ of }: { readonly of: readonly Accepted[] }) {
  const now = useNow();
  return (
    <ul className="on-their-way">
      <li className="soft">Each hears of it at its next knock, a minute from the last at most, and comes to its node at its turn.</li>
      {inOrder(of)
        .slice(0, listedMax)
        .map(({ fp, fqdn, node, because, turnAt }) => (
          <li key={fp}>
            <b>{fqdn}</b> {node === undefined ? because : `${because}: ${node}`}
            {turnAt !== undefined && Date.parse(turnAt) > now && `; its turn is in ${spanText(Date.parse(turnAt) - now)}`}
          </li>
        ))}
      {of.length > listedMax && <li className="soft">and {number(of.length - listedMax)} more</li>}
    </ul>
  );
}
