import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, Panel, Refused, Waiting } from '../kit/kit.tsx';
import { asks, client } from '../live/queries.ts';

/** The keys that sign membership tokens and cursors, and those that seal the audit. */
export function TokenKeys() {
  return (
    <>
      <KeysOf of="tokens" title="Membership tokens and cursors" />
      <br />
      <KeysOf of="audit" title="The seals of the audit" />
    </>
  );
}

type Of = 'tokens' | 'audit';

function KeysOf({ of, title }: { readonly of: Of; readonly title: string }) {
  const { data, error } = useQuery({
    queryKey: ['token-keys', of],
    queryFn: ({ signal }) => call('listTokenKeys', { query: { of }, signal }),
  });
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [isAsking, setAsking] = useState(false);
  const current = data?.items.find(({ use }) => use === 'signs');
  return (
    <Panel title={title}>
      <Refused error={error} />
      {!data && !error && <Waiting />}
      {data && <KeyList of={data.items} />}
      {current && may(rights, 'rotateTokenKeys') && (
        <button type="button" onClick={() => setAsking(true)}>
          Sign with a new key…
        </button>
      )}
      {isAsking && current && <Rotate of={of} replaces={current.id} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

const KeyList = ({ of }: { readonly of: Reply<'listTokenKeys'>['items'] }) => (
  <ul>
    {of.map(({ id, use, since }) => (
      <li key={id}>
        Key {id} {use}, made {since === undefined ? 'with the deployment' : <Ago at={since} suffix=" ago" />}
      </li>
    ))}
  </ul>
);

const Rotate = ({ of, replaces, onClose }: { readonly of: Of; readonly replaces: number; readonly onClose: () => void }) => (
  <Confirm
    title="Sign with a new key?"
    action="Make a new key"
    does={() => call('rotateTokenKeys', { body: { of, replaces } })}
    done={({ because }) => {
      void client.invalidateQueries({ queryKey: ['token-keys'] });
      return because;
    }}
    onClose={onClose}
  >
    <p>
      {of === 'tokens'
        ? 'Tokens get the new signature as they are renewed. The key of now still verifies; an older one is retired, and is refused while tokens of it may be in use.'
        : 'The days from today on are sealed with the new key. The older keys stay, so that older days can be verified.'}
    </p>
  </Confirm>
);
