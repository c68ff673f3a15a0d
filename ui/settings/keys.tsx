import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may, mayAnywhere } from '../api/rights.ts';
import { Refused, Waiting } from '../kit/kit.tsx';
import { OrderButton } from '../kit/order.tsx';
import { ShownOnce } from '../kit/shown-once.tsx';
import { allOf, asks } from '../live/queries.ts';
import { AddKey, RevokeKey } from './key-dialogs.tsx';
import { type Key, KeyTable } from './key-table.tsx';

/** API keys, and who is signed in. */
export function Keys() {
  const { data, error } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => allOf((cursor) => call('listKeys', { query: { limit: 200, cursor }, signal })),
    refetchInterval: 15_000,
  });
  const [revoked, revoke] = useState<Key>();
  return (
    <>
      <LetIn />
      <Refused error={error} />
      {!data && !error && <Waiting />}
      {data && <KeyTable title="Who is here" of={data.filter(({ kind }) => kind === 'session')} onRevoke={revoke} />}
      <br />
      {data && <KeyTable title="Keys of programs" of={data.filter(({ kind }) => kind === 'key')} onRevoke={revoke} />}
      {revoked && <RevokeKey of={revoked} onClose={() => revoke(undefined)} />}
    </>
  );
}

/** What was made just now, and is shown once. */
type Made = { readonly is: 'key' | 'link'; readonly secret: string };

/** Lets others in: a program by a key, a person by a link. */
function LetIn() {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<Made>();
  const showLink = ({ link }: Reply<'createSignInLink'>): undefined => {
    setMade({ is: 'link', secret: link });
  };
  return (
    <div className="actions">
      {mayAnywhere(rights, 'createKey') && (
        <button type="button" className="primary" onClick={() => setAdding(true)}>
          Make a key…
        </button>
      )}
      {mayAnywhere(rights, 'createSignInLink') && (
        <OrderButton does={() => call('createSignInLink')} done={showLink}>
          Make a sign-in link
        </OrderButton>
      )}
      {isAdding && (
        <AddKey
          onClose={() => setAdding(false)}
          onMade={(secret) => setMade({ is: 'key', secret })}
          isEverywhere={may(rights, 'createKey')}
        />
      )}
      {made && (
        <ShownOnce title={made.is === 'key' ? 'The new key' : 'A sign-in link'} secret={made.secret} onClose={() => setMade(undefined)}>
          {made.is === 'link' && <p>It signs one person in, once within 10 minutes, with your own rights.</p>}
        </ShownOnce>
      )}
    </div>
  );
}
