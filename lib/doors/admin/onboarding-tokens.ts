import { Refusal } from '../../api/problem.ts';
import { mintSecret } from '../../identity/secret-text.ts';
import { decide, type OnboardingTokenCommand } from '../../onboarding-tokens/decide.ts';
import { goodForMs, goodForMsMax, type OnboardingToken, type OnboardingTokenId } from '../../onboarding-tokens/onboarding-token.ts';
import { onboardingTokenView } from '../../onboarding-tokens/view.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { keyOf, onboardingTokenList } from '../../table/keys.ts';
import { type EpochMs, plusMs } from '../../units.ts';
import { defaultZone } from '../../zones/create.ts';
import type { AdminCall } from '../verify-admin.ts';
import { ensureDefaultZone } from '../zones.ts';
import { cursorAt, positionOf } from './cursors.ts';
import { foundZone } from './found.ts';
import { seesZone } from './zones-of-caller.ts';

/** Makes an onboarding token. The secret is in this answer and nowhere else: a call that is repeated makes another. */
export async function createOnboardingToken({ body, request, caller }: AdminCall<'createOnboardingToken'>, shell: Shell): Promise<Answer> {
  const now = shell.now();
  const expiresAt = endOf(body.expiresAt, now);
  const zone = body.zone ?? defaultZone;
  if (zone === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, zone, caller);
  const { id, text, hash } = mintSecret('mot', shell.randomBytes);
  const { tags, groups, uses, cidr } = body;
  const token: OnboardingToken = {
    ...{ id: id as OnboardingTokenId, hash, zone, tags, groups, uses, used: 0, createdAt: now, expiresAt },
    ...(cidr !== undefined && { cidr }),
  };
  await apply<OnboardingToken, OnboardingTokenCommand>(shell, refOf(id), { type: 'create', id: request.id, token }, decide);
  return { status: 201, body: { secret: text, token: onboardingTokenView(token, now) }, headers: { 'cache-control': 'no-store' } };
}

function endOf(given: string | undefined, now: EpochMs): EpochMs {
  if (given === undefined) return plusMs(now, goodForMs);
  const expiresAt = Date.parse(given) as EpochMs;
  if (expiresAt <= now) throw notTaken('a moment that has passed');
  if (expiresAt > plusMs(now, goodForMsMax)) throw notTaken('a token ends within a year');
  return expiresAt;
}

const notTaken = (detail: string): Refusal =>
  new Refusal('invalid', `/expiresAt: ${detail}`, { errors: [{ pointer: '/expiresAt', detail }] });

/** Tokens by id; index entries are only a hint, every row is read again. */
export async function listOnboardingTokens({ query, caller }: AdminCall<'listOnboardingTokens'>, shell: Shell): Promise<Answer> {
  const signature = 'onboarding tokens';
  const after = await positionOf(shell, query.cursor, signature);
  const page = await shell.table.queryIndex({
    index: 'list',
    pk: onboardingTokenList,
    limit: query.limit,
    ...(after !== undefined && { after }),
  });
  const rows = await readAll(
    shell,
    page.items.map(({ key }) => key),
  );
  const now = shell.now();
  const items = rows.flatMap((row) => {
    const token = stateOf<OnboardingToken>(row, now);
    return token && seesZone(caller, token.zone) ? [onboardingTokenView(token, now)] : [];
  });
  return { status: 200, body: { items, ...(page.next !== undefined && { next: await cursorAt(shell, page.next, signature) }) } };
}

/** Revokes a token; one that is revoked already stays as it was. */
export async function revokeOnboardingToken(
  { params, request, caller }: AdminCall<'revokeOnboardingToken'>,
  shell: Shell,
): Promise<Answer> {
  const token = stateOf<OnboardingToken>(await shell.table.read(keyOf(refOf(params.id))), shell.now());
  const unknown = () => new Refusal('unknown-token', `no onboarding token has the id ${params.id}, or it ended more than a month ago`);
  if (!token || !seesZone(caller, token.zone)) throw unknown();
  const command = { type: 'revoke', id: request.id } as const;
  const { state } = await apply<OnboardingToken, OnboardingTokenCommand>(shell, refOf(params.id), command, decide);
  if (!state) throw unknown();
  return { status: 200, body: onboardingTokenView(state, shell.now()) };
}

const refOf = (id: string) => ({ noun: 'onboarding-token', id });
