import { Refusal } from '../../../api/problem.ts';
import { recordAttempt } from '../../../runtime/attempts.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { memberRoutes } from '../../routes.ts';
import type { AskingHost } from '../command.ts';

/** The refusal of a host that its token does not admit: always with the same text. */
export const joinDenied = (): Refusal =>
  new Refusal('join-denied', 'the token admits no node here: it is wrong, used up, expired, revoked or made for another');

/** The refusal of a host that an operator removed or rejected. */
export const removed = ({ fqdn, fp }: AskingHost): Refusal =>
  new Refusal(
    'removed',
    `an operator removed or rejected ${fqdn}: admit it again with muster node admit ${fp.slice(0, 16)}, or give it a new token`,
  );

/**
 * The refusal of a host whose token does not allow the address at which it asks to be watched. It uses up nothing of
 * the token.
 */
export function watchRefused({ fqdn, watch, source, fp }: AskingHost): Refusal {
  const port = watch.slice(watch.lastIndexOf(':') + 1);
  const detail = `${watch} is neither ${fqdn} nor ${source}, the source of this call`;
  const mends = `start the agent with --watch ${fqdn}:${port}, or have that address allowed: muster node admit ${fp.slice(0, 16)} --any-watch, or a token made with --any-watch`;
  return new Refusal('watch-not-own', `a node must be watched at its own address, and ${detail}; ${mends}`, {
    errors: [{ pointer: '/watch', detail }],
  });
}

/** A refusal, and its reason without the remedy. */
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
 * Records for the audit that a host was refused with its token. The host is not a node, and its identity is unknown;
 * other calls of machines are not audited.
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
