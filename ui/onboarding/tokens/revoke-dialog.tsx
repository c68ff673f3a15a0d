import { call } from '../../api/call.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { client } from '../../live/queries.ts';

/** A token that is about to be revoked; `what` says what that means. */
export type Revoking = { readonly is: 'onboarding' | 'node'; readonly id: string; readonly what: string };

const revoked = ({ is, id }: Revoking): Promise<unknown> =>
  is === 'node' ? call('revokeNodeToken', { params: { id } }) : call('revokeOnboardingToken', { params: { id } });

/** Asks before a token is revoked. */
export const RevokeDialog = ({ of, onClose }: { readonly of: Revoking; readonly onClose: () => void }) => (
  <Confirm
    title={`Revoke token ${of.id}?`}
    action={`Revoke ${of.id}`}
    leave="Keep it"
    isDanger
    does={() => revoked(of)}
    done={() => {
      void client.invalidateQueries({ queryKey: ['tokens'] });
      return `Token ${of.id} is revoked`;
    }}
    onClose={onClose}
  >
    <p>{of.what} This cannot be taken back.</p>
  </Confirm>
);
