import { sourceOf } from '../../../core/address.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { clientRoutes } from '../../routes.ts';
import type { OnboardingToken } from '../onboarding-token.ts';
import { validToken } from './valid.ts';

/** An onboarding token as text, anywhere in a body: a knock over the limit is not worth a parser. */
const inBody = /mot_[0-9a-z]{12}_[A-Za-z0-9_-]{43}_[0-9a-f]{6}/;

/**
 * What a call is counted for instead of its network address: a knock with a valid onboarding token that this
 * environment knows, for the token at that address. Undefined for any other call. A token that is not known yet is
 * counted for the address once, like a guess.
 */
export async function countedApart(request: HttpRequest, shell: Shell): Promise<string | undefined> {
  if (request.path !== clientRoutes.knock.path) return undefined;
  const token = await presentedToken(request, shell);
  return token && `${sourceOf(request.source)} ${token.id}`;
}

/** The valid onboarding token that a call brings, if this environment knows it. */
export const presentedToken = ({ body, source }: HttpRequest, shell: Shell): Promise<OnboardingToken | undefined> =>
  validToken(shell, { text: inBody.exec(body)?.[0], source }, { onlyKnown: true });
