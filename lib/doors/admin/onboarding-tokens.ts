import { mintSecret } from '../../identity/secret-text.ts';
import { decide, type OnboardingTokenCommand } from '../../onboarding-tokens/decide.ts';
import { goodForMs, goodForMsMax, type OnboardingToken, type OnboardingTokenId } from '../../onboarding-tokens/onboarding-token.ts';
import { onboardingTokenView } from '../../onboarding-tokens/view.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { onboardingTokenList } from '../../table/keys.ts';
import type { AdminCall } from '../verify-admin.ts';
import { applyInZone } from '../zone-gate.ts';
import { givenZone } from './found.ts';
import { listPage } from './list-page.ts';
import { endOfToken, madeToken, revokedToken } from './machine-tokens.ts';
import { seesZone } from './zones-of-caller.ts';

const life = { usualMs: goodForMs, longestMs: goodForMsMax, tooLong: 'a token ends within a year' };

/** Makes an onboarding token. The secret is in this answer and nowhere else: a call that is repeated makes another. */
export async function createOnboardingToken({ body, request, caller }: AdminCall<'createOnboardingToken'>, shell: Shell): Promise<Answer> {
  const now = shell.now();
  const expiresAt = endOfToken(body.expiresAt, now, life);
  const zone = await givenZone(shell, body.zone, caller);
  const { id, text, hash } = mintSecret('mot', shell.randomBytes);
  const { tags, groups, uses, cidr } = body;
  const token: OnboardingToken = {
    ...{ id: id as OnboardingTokenId, hash, zone, tags, groups, uses, used: 0, createdAt: now, expiresAt },
    ...(cidr !== undefined && { cidr }),
  };
  const create = { type: 'create', id: request.id, token } as const;
  await applyInZone<OnboardingToken, OnboardingTokenCommand>(shell, { ref: refOf(id), zone }, create, decide);
  return madeToken(text, onboardingTokenView(token, now));
}

/** Tokens by id. */
export const listOnboardingTokens = ({ query, caller }: AdminCall<'listOnboardingTokens'>, shell: Shell): Promise<Answer> =>
  listPage<OnboardingToken>(shell, { list: onboardingTokenList, signature: 'onboarding tokens' }, query, (token, now) =>
    seesZone(caller, token.zone) ? onboardingTokenView(token, now) : undefined,
  );

/** Revokes a token; one that is revoked already stays as it was. */
export async function revokeOnboardingToken(
  { params, request, caller }: AdminCall<'revokeOnboardingToken'>,
  shell: Shell,
): Promise<Answer> {
  const kind = { called: 'onboarding token', decide };
  const token = await revokedToken<OnboardingToken>(shell, refOf(params.id), kind, { call: request.id, caller });
  return { status: 200, body: onboardingTokenView(token, shell.now()) };
}

const refOf = (id: string) => ({ noun: 'onboarding-token', id });
