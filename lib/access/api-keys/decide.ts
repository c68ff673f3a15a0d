import { type Decision, nothing, type Plan, write } from '../../core/decision.ts';
import { dayMs, type EpochMs, plusMs, unreachable } from '../../core/time.ts';
import { type ApiKey, apiKeyRef, keyDays, listedForMs, statusOf, usedEveryMs } from './api-key.ts';

/** A key is made, revoked, or has been used. */
export type ApiKeyCommand =
  | { readonly type: 'make'; readonly id: string; readonly key: ApiKey }
  | { readonly type: 'revoke'; readonly id: string; readonly withMade?: boolean }
  | { readonly type: 'used'; readonly id: string };

/** Decides what a command changes in a key's row. */
export function decideApiKey(key: ApiKey | undefined, command: ApiKeyCommand, now: EpochMs): Decision<ApiKey> {
  if (command.type === 'make') return key ? nothing('a key with this id exists') : stored(command.key, `made: ${command.key.kind}`);
  if (!key) return nothing('no key has this id');
  switch (command.type) {
    case 'revoke':
      return onRevoke(key, command.withMade ?? false, now);
    case 'used':
      return isWorthRecording(key, now) ? stored({ ...key, lastUsedAt: now }, 'used') : nothing('its use was recorded within the hour');
    default:
      return unreachable(command);
  }
}

function onRevoke(key: ApiKey, withMade: boolean, now: EpochMs): Decision<ApiKey> {
  if (!withMade) return key.revokedAt === undefined ? stored({ ...key, revokedAt: now }, 'revoked') : nothing('it was revoked before');
  if (key.withMade) return nothing('it was revoked before, with all that was made with it');
  return stored({ ...key, revokedAt: key.revokedAt ?? now, withMade: true }, 'revoked, with all that was made with it');
}

/** Whether the use of a key is worth a write now. */
export const isWorthRecording = ({ lastUsedAt }: ApiKey, now: EpochMs): boolean =>
  lastUsedAt === undefined || now - lastUsedAt >= usedEveryMs;

/**
 * Burns a link and begins its session in one commit, so that nobody signs in twice by it. Gives no changes when the
 * link is no longer valid.
 */
export function planSignIn(link: { readonly key: ApiKey; readonly rev: number }, session: ApiKey, now: EpochMs): Plan {
  if (link.key.kind !== 'link' || statusOf(link.key, now) !== 'valid') return { changes: [], because: ['the link is no longer valid'] };
  const burnt = stored({ ...link.key, revokedAt: now }, 'used to sign in, once');
  const begun = decideApiKey(undefined, { type: 'make', id: session.id, key: session }, now);
  return {
    changes: [
      { ref: apiKeyRef(link.key.id), readRev: link.rev, decision: burnt },
      { ref: apiKeyRef(session.id), readRev: 0, decision: begun },
    ],
    because: [burnt.because, begun.because],
  };
}

const stored = (key: ApiKey, because: string) => write<ApiKey, never>(key, because, { expiresAt: storedUntil(key) });

/**
 * A key stays readable for a while after its end; nobody asks for an ended link or session. A key that was revoked with
 * all that it made stays as long as any of that could live: things made with it name it, and end with it.
 */
function storedUntil({ kind, expiresAt, withMade }: ApiKey): EpochMs {
  if (withMade) return plusMs(expiresAt, keyDays.max * dayMs + listedForMs);
  return kind === 'key' ? plusMs(expiresAt, listedForMs) : expiresAt;
}
