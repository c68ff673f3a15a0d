import { checkSignedByBody, claimOf } from '../access/signed.ts';
import { deploymentOf } from '../deployment/reads.ts';
import type { Caller, Verify } from '../runtime/verify.ts';
import { clientRoutes } from './routes.ts';

/** A client system at the door; `signed` when its knock was, with the key that its body shows. */
export type ClientCaller = Caller & { readonly signed?: { readonly keyId: string; readonly nonce: string } };

/**
 * Proves who knocks: the holder of the key in the body. The two questions are open, and judged by the token that comes
 * with them. A knock without any signature gets in where some zone allows unsigned clients; what it may do there is for
 * the knock to say. Throws a Refusal.
 */
export const verifyClient: Verify<ClientCaller> = async (request, route, _params, shell, bodyFor) => {
  const stranger = { who: 'anyone', source: request.source };
  if (route.path !== clientRoutes.knock.path) return stranger;
  if (request.header('signature-input') === undefined && ((await deploymentOf(shell))?.unsignedZones ?? []).length > 0) return stranger;
  const claim = claimOf(request, shell);
  checkSignedByBody(shell, claim, bodyFor(clientRoutes.knock).publicKey);
  return { who: `client:${claim.keyId}`, source: request.source, signed: { keyId: claim.keyId, nonce: claim.nonce } };
};
