import { Refusal } from '../../../api/problem.ts';
import { recordAttempt } from '../../../runtime/attempts.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { memberRoutes } from '../../routes.ts';
import type { AskingHost } from '../command.ts';

/** What a host is answered whose token admits no node: always in the same words. */
export const joinDenied = (): Refusal =>
  new Refusal('join-denied', 'the token admits no node here: it is wrong, used up, expired, revoked or made for another');

/** What a host is answered that an operator wants no more. */
export const removed = ({ fqdn, fp }: AskingHost): Refusal =>
  new Refusal(
    'removed',
    `an operator has sent ${fqdn} away: it is let in again by muster node admit ${fp.slice(0, 16)}, or by a new token`,
  );

/** What a host is answered whose token does not let it be watched where it asks to be. The token is not used by it. */
export function watchRefused({ fqdn, watch, source, fp }: AskingHost): Refusal {
  const port = watch.slice(watch.lastIndexOf(':') + 1);
  const detail = `${watch} is neither ${fqdn} nor ${source}, from where this call came`;
  const mends = `start the agent with --watch ${fqdn}:${port}, or have that address allowed: muster node admit ${fp.slice(0, 16)} --any-watch, or a token made with --any-watch`;
  return new Refusal('watch-not-own', `a node is watched where it is itself, and ${detail}; ${mends}`, {
    errors: [{ pointer: '/watch', detail }],
  });
}

/** A refusal, and why without what mends it. */
export const refusedFor = (refusal: Refusal): { readonly refusal: Refusal; readonly why: string } => ({
  refusal,
  why: refusal.errors?.[0]?.detail ?? refusal.message,
});

type Refused = {
  readonly request: Pick<HttpRequest, 'id' | 'source'>;
  readonly asking: AskingHost;
  readonly type: Refusal['type'];
  readonly why: string;
};

/**
 * Keeps for the audit that a host was refused with its token. It is no node: nobody knows who it is, and what machines
 * do of their own accord is not audited.
 */
export const recordRefused = (shell: Shell, { request, asking: { fqdn, fp }, type, why }: Refused): Promise<void> =>
  recordAttempt(shell, {
    request,
    route: memberRoutes.join,
    who: 'anyone',
    subject: `host ${fqdn} ${fp}`,
    type,
    detail: why,
    // An agent whose token is refused tries again for ever.
    sameAs: `${memberRoutes.join.path} ${fp} ${why}`,
  });
