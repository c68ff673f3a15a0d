import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may, mayAnywhere, type Rights } from '../../api/rights.ts';
import { Empty, Panel, Refused, Waiting } from '../../kit/kit.tsx';
import { asks } from '../../live/queries.ts';
import { poolAsks } from '../asks.ts';
import { type Made, MadeToken } from './made.tsx';
import { NodeTokenForm } from './node-token-form.tsx';
import { OnboardingTokenForm } from './onboarding-token-form.tsx';
import { RevokeDialog, type Revoking } from './revoke-dialog.tsx';
import { NodeTokenTable, OnboardingTokenTable } from './token-tables.tsx';

/** The tokens by which client systems and hosts come in without an operator. */
export default function TokensTab() {
  const rights = useQuery(asks.whoAmI).data?.rights;
  return (
    <div className="tokens">
      {mayAnywhere(rights, 'listOnboardingTokens') && <OnboardingTokens rights={rights} />}
      <NodeTokens rights={rights} />
    </div>
  );
}

type Props = { readonly rights: Rights | undefined };

function OnboardingTokens({ rights }: Props) {
  const { data, error } = useQuery(poolAsks.onboardingTokens);
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<Made>();
  const [revoking, revoke] = useState<Revoking>();
  const add = mayAnywhere(rights, 'createOnboardingToken') && (
    <button type="button" onClick={() => setNew(true)}>
      New onboarding token…
    </button>
  );
  return (
    <Panel title="Onboarding tokens, for client systems" actions={add}>
      <p className="soft">A machine that brings one is accepted at its first knock. Nobody compares its fingerprint.</p>
      <Refused error={error} />
      {data === undefined && !error && <Waiting />}
      {data?.length === 0 && <Empty>There is none. Make one for machines that are set up from one image.</Empty>}
      {data !== undefined && data.length > 0 && (
        <OnboardingTokenTable
          tokens={data}
          onRevoke={(zone, token) =>
            may(rights, 'revokeOnboardingToken', zone) ? () => revoke({ is: 'onboarding', ...token }) : undefined
          }
        />
      )}
      {isNew && <OnboardingTokenForm rights={rights} onMade={setMade} onClose={() => setNew(false)} />}
      {made && <MadeToken of={made} onClose={() => setMade(undefined)} />}
      {revoking && <RevokeDialog of={revoking} onClose={() => revoke(undefined)} />}
    </Panel>
  );
}

function NodeTokens({ rights }: Props) {
  const { data, error } = useQuery(poolAsks.nodeTokens);
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<Made>();
  const [revoking, revoke] = useState<Revoking>();
  const add = mayAnywhere(rights, 'createNodeToken') && (
    <button type="button" onClick={() => setNew(true)}>
      New node token…
    </button>
  );
  return (
    <Panel title="Node tokens, for hosts" actions={add}>
      <p className="soft">
        A host whose agent brings one becomes a node at once: one name within an hour, or a set of names within a year.
      </p>
      <Refused error={error} />
      {data === undefined && !error && <Waiting />}
      {data?.length === 0 && <Empty>There is none.</Empty>}
      {data !== undefined && data.length > 0 && (
        <NodeTokenTable
          tokens={data}
          onRevoke={(zone, token) => (may(rights, 'revokeNodeToken', zone) ? () => revoke({ is: 'node', ...token }) : undefined)}
        />
      )}
      {isNew && <NodeTokenForm rights={rights} onMade={setMade} onClose={() => setNew(false)} />}
      {made && <MadeToken of={made} onClose={() => setMade(undefined)} />}
      {revoking && <RevokeDialog of={revoking} onClose={() => revoke(undefined)} />}
    </Panel>
  );
}
