import { checkSignedByBody, claimOf } from '../access/signed.ts';
import { deploymentOf } from '../deployment/reads.ts';
import type { SignatureClaim } from '../identity/signature.ts';
import type { Caller, Verify } from '../runtime/verify.ts';
import { clientRoutes } from './routes.ts';

/**
 * The client system that calls. `signed` is set when its knock was signed with the key in its body; `created`:
 * when, by the clock of the machine, in seconds since the Unix epoch.
 */
export type ClientCaller = Caller & { readonly signed?: Pick<SignatureClaim, 'keyId' | 'nonce' | 'created'> };

/**
 * Proves who knocks: the holder of the key in the body. The status and orphan routes are open, and their handlers judge
 * the token of the call. A knock without any signature passes if some zone allows unsigned clients; the knock handler
 * decides what it may do there. Throws a Refusal.
 */
export const verifyClient: Verify<ClientCaller> = async (request, route, _params, shell, bodyFor) => {
  const stranger = { who: 'anyone', source: request.source };
  if (route.path !== clientRoutes.knock.path) return stranger;
  if (request.header('signature-input') === undefined && ((await deploymentOf(shell))?.unsignedZones ?? []).length > 0) return stranger;
  const claim = claimOf(request, shell);
  const { keyId, nonce, created } = claim;
  checkSignedByBody(shell, claim, bodyFor(clientRoutes.knock).publicKey);
  return { who: `client:${keyId}`, source: request.source, signed: { keyId, nonce, created } };
};
