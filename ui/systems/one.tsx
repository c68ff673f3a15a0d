import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Copied } from '../kit/copied.tsx';
import { Fingerprint } from '../kit/fingerprint.tsx';
import { Ago, CloseButton, Empty, Facts, Outside, Refused, Status, short, Waiting } from '../kit/kit.tsx';
import { EnterLink, systemPath } from '../node/enter-link.tsx';
import { Link } from '../router.tsx';
import { Why } from '../why/why.tsx';
import { acceptorText } from './acceptor.ts';
import { ActButtons } from './act-buttons.tsx';
import { getOne, type System } from './asks.ts';
import { factText } from './fact.ts';
import { MetadataKinds } from './metadata.tsx';
import { termOf } from './terms.ts';

/** One client system beside the list: what it is, where it lives and why, and what can be done to it. */
export function One({ fp, onClose }: { readonly fp: string; readonly onClose: () => void }) {
  const { data, error } = useQuery(getOne(fp));
  return (
    <aside className="panel one" aria-label="Client system">
      <header>
        <h2>{data === undefined ? <code>{fp.slice(0, 8)}</code> : short(data.fqdn)}</h2>
        {data && (
          <span className="states">
            <States of={data} />
          </span>
        )}
        <CloseButton onClose={onClose} />
      </header>
      {data ? <About of={data} /> : error ? <Refused error={error} /> : <Waiting />}
    </aside>
  );
}

const States = ({ of }: { readonly of: System }) => (
  <>
    <Status is={of.status} />
    {of.silentSince !== undefined && (
      <Status is="silent">
        silent <Ago at={of.silentSince} />
      </Status>
    )}
  </>
);

const About = ({ of }: { readonly of: System }) => (
  <>
    <p className="soft where">
      {of.fqdn} {of.node ? <NodeLink node={of.node} /> : null}
    </p>
    <Copied label="Fingerprint" text={of.fingerprint}>
      <Fingerprint of={of.fingerprint} label={null} isLarge />
    </Copied>
    <Labels of={of} />
    <div className="actions">
      {of.status === 'new' && (
        <Link className="button" to="/onboarding">
          Accept it in Onboarding
        </Link>
      )}
      {of.node && of.numberThere !== undefined && (
        <EnterLink node={of.node.id} path={systemPath(of.numberThere)}>
          Open on its server
        </EnterLink>
      )}
      <ActButtons systems={[of]} />
    </div>
    <Clones of={of} />
    <Facts of={factsOf(of)} />
    <Why kind="system" id={of.fp} {...(of.zone !== undefined && { zone: of.zone })} />
    <Machine facts={of.facts} />
    <MetadataKinds fp={of.fp} />
  </>
);

const NodeLink = ({ node }: { readonly node: NonNullable<System['node']> }) => (
  <>
    on <Link to={`/nodes/${node.id}`}>{node.fqdn ?? node.id}</Link>
    {!node.confirmed && ', which has not confirmed it yet'}
  </>
);

function factsOf(of: System): readonly (readonly [string, ReactNode])[] {
  return [
    [of.status === 'new' ? 'Asks for zone' : 'Zone', of.zone],
    ['Node since', of.node && <Ago key="at" at={of.node.at} />],
    ['On its node', of.page && <Outside key="page" to={of.page} />],
    [
      'Pinned to',
      of.pin && `${of.pin.fqdn ?? 'a node that is gone'}, ${of.pin.hard ? 'and no other' : 'if it is up'} (${of.pin.standing})`,
    ],
    ['Held', of.held],
    ['Its turn comes', of.turnAt && <time key="turn">{new Date(of.turnAt).toLocaleTimeString('en-GB')}</time>],
    ['Accepted', of.accepted && <Acceptance key="accepted" of={of.accepted} />],
    ['Seen', <Ago key="seen" at={of.seenAt} suffix=" ago" />],
    ['First seen', <Ago key="first" at={of.firstSeenAt} suffix=" ago" />],
    ['Machine id', of.machineId === '' ? undefined : <code key="machine">{of.machineId}</code>],
    ['Minion', of.minion?.id],
    ['Cluster id', of.clusterId === undefined ? undefined : <code key="cluster">{of.clusterId}</code>],
    ['Proof of its key', of.unsigned && 'no knock was signed'],
  ];
}

/** When it was accepted and by whom, which leads to all that were accepted by the same. */
const Acceptance = ({ of: { at, by } }: { readonly of: NonNullable<System['accepted']> }) => (
  <>
    <Ago at={at} suffix=" ago" />
    {by !== undefined && (
      <>
        {' '}
        by{' '}
        <Link to="/systems" search={{ q: termOf('accepted-by', by) }}>
          {acceptorText(by)}
        </Link>
      </>
    )}
  </>
);

const Labels = ({ of }: { readonly of: System }) => (
  <p className="labels">
    {of.tags.map((tag) => (
      <Link key={tag} className="tag" to="/systems" search={{ q: `tag:${tag}` }}>
        {tag}
      </Link>
    ))}
    {of.groups.map((group) => (
      <Link key={group} className="tag is-group" to="/systems" search={{ q: `group:${group}` }}>
        @{group}
      </Link>
    ))}
    {of.status === 'new' && of.suggestedTags.length > 0 && <span className="soft">suggests {of.suggestedTags.join(', ')}</span>}
  </p>
);

/** Other keys that report the same machine id or name: clones, or the machine before it was installed anew. */
const Clones = ({ of: { fp, sameMachineId, sameName, copied } }: { readonly of: System }) => (
  <>
    <Sharing of={sameMachineId} />
    <Sharing of={sameName} />
    {copied && (
      <div className="note bad">
        <p>
          {copied.because}, since <Ago at={copied.since} suffix=" ago" />. It stays on its node and is given no other. Remove{' '}
          <code>identity.json</code> on the copy, then settle it: <code>muster system settle {fp.slice(0, 8)}</code>
        </p>
      </div>
    )}
  </>
);

function Sharing({ of }: { readonly of: System['sameName'] }) {
  if (of === undefined) return null;
  return (
    <div className={`note ${of.held ? 'bad' : ''}`}>
      <p>{of.because}</p>
      <ul>
        {of.keys.map(({ fp, fqdn, status, first, seenAt }) => (
          <li key={fp}>
            <Link to="/systems" search={{ fp }}>
              {fqdn}
            </Link>{' '}
            <code>{fp.slice(0, 8)}</code> <Status is={status} /> {first ? 'came first' : 'came later'}, seen{' '}
            <Ago at={seenAt} suffix=" ago" />
          </li>
        ))}
      </ul>
    </div>
  );
}

const Machine = ({ facts }: { readonly facts: System['facts'] }) => (
  <>
    <h3>What it reports</h3>
    {Object.keys(facts).length === 0 ? (
      <Empty>It reports no facts.</Empty>
    ) : (
      <Facts of={Object.entries(facts).map(([name, value]) => [name, factText(name, value)])} />
    )}
  </>
);
