import { call } from '../../api/call.ts';
import { Dialog } from '../../kit/kit.tsx';
import { doing } from '../../kit/toasts.tsx';
import { client } from '../../live/queries.ts';

/** A token that is about to be revoked; `what` says what that means. */
export type Revoking = { readonly is: 'onboarding' | 'node'; readonly id: string; readonly what: string };

/** Asks before a token is revoked. */
export function RevokeDialog({ of: { is, id, what }, onClose }: { readonly of: Revoking; readonly onClose: () => void }) {
  const revoke = async (): Promise<void> => {
    const sent = is === 'node' ? call('revokeNodeToken', { params: { id } }) : call('revokeOnboardingToken', { params: { id } });
    await doing<unknown>(sent, `Token ${id} is revoked`);
    await client.invalidateQueries({ queryKey: ['tokens'] });
    onClose();
  };
  return (
    <Dialog label="Revoke a token" onClose={onClose}>
      <h2>Revoke token {id}?</h2>
      <p>{what} This cannot be taken back.</p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="danger" onClick={() => void revoke()}>
          Revoke {id}
        </button>
      </div>
    </Dialog>
  );
}
