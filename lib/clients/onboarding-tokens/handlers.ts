import { listPage } from '../../access/list-page.ts';
import { endOfToken, madeToken, revokedToken } from '../../access/machine-tokens.ts';
import type { AdminCall } from '../../access/verify-admin.ts';
import { ofZones } from '../../access/zones-of-caller.ts';
import { mintSecret } from '../../identity/secret-text.ts';
import { onboardingTokenList } from '../../ports/table/keys.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { applyInZone } from '../../zones/changes/gate.ts';
import { givenZone } from '../../zones/reads/found.ts';
import { closeShares, counted } from './changes.ts';
import { decide } from './decide.ts';
import { goodForMs, goodForMsMax, type OnboardingToken, type OnboardingTokenId, onboardingTokenRef } from './onboarding-token.ts';
import { rememberToken } from './reads/valid.ts';
import { sharesFor } from './rows/share.ts';
import { onboardingTokenView } from './view.ts';

const life = { usualMs: goodForMs, longestMs: goodForMsMax, tooLong: 'a token ends within a year' };

/** Creates an onboarding token. Only this answer contains the secret: repeating the call creates another token. */
export async function createOnboardingToken({ body, request, caller }: AdminCall<'createOnboardingToken'>, shell: Shell): Promise<Answer> {
  const now = shell.now();
  const expiresAt = endOfToken(body.expiresAt, now, life);
  const zone = await givenZone(shell, body.zone, caller);
  const { id, text, hash } = mintSecret('mot', shell.randomBytes);
  const { tags, groups, uses, perMinute, cidr } = body;
  const shares = sharesFor(uses, perMinute);
  const token: OnboardingToken = {
    // Earlier versions, without shares, read a divided token as used up, and accept no machine beside the shares.
    id: id as OnboardingTokenId,
    hash,
    zone,
    tags,
    groups,
    uses,
    used: shares === undefined ? 0 : uses,
    perMinute,
    createdAt: now,
    expiresAt,
    ...(cidr !== undefined && { cidr }),
    ...(shares !== undefined && { shares }),
    madeBy: caller.makes,
  };
  const create = { type: 'create', id: request.id, token } as const;
  await applyInZone(shell, { ref: onboardingTokenRef(id), zone }, create, decide);
  rememberToken(shell, token);
  return madeToken(text, onboardingTokenView({ ...token, used: 0 }, now));
}

/** Tokens by id. */
export const listOnboardingTokens = ({ query, caller }: AdminCall<'listOnboardingTokens'>, shell: Shell): Promise<Answer> =>
  listPage<OnboardingToken>(
    shell,
    { list: onboardingTokenList, signature: 'onboarding tokens', isSeen: ofZones(caller) },
    query,
    async (token, now) => onboardingTokenView(await counted(shell, token), now),
  );

/** Revokes a token; a token that is revoked already stays as it was. */
export async function revokeOnboardingToken(
  { params, request, caller }: AdminCall<'revokeOnboardingToken'>,
  shell: Shell,
): Promise<Answer> {
  const kind = { called: 'onboarding token', decide };
  const token = await revokedToken<OnboardingToken>(shell, onboardingTokenRef(params.id), kind, { call: request.id, caller });
  await closeShares(shell, token);
  return { status: 200, body: onboardingTokenView(await counted(shell, token), shell.now()) };
}
