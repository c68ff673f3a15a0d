import { listPage } from '../../access/list-page.ts';
import { endOfToken, madeToken, notTaken, revokedToken } from '../../access/machine-tokens.ts';
import type { AdminCall } from '../../access/verify-admin.ts';
import { ofZones } from '../../access/zones-of-caller.ts';
import type { adminRoutes } from '../../admin-contract.ts';
import type { BodyOf } from '../../api/route.ts';
import { dayMs, type EpochMs } from '../../core/time.ts';
import { mintSecret } from '../../identity/secret-text.ts';
import { admissionLists } from '../../ports/table/keys.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { applyInZone } from '../../zones/changes/gate.ts';
import { givenZone } from '../../zones/reads/found.ts';
import { isOneName, readPattern } from '../admission/rows/pattern.ts';
import { decide } from './decide.ts';
import { bootstrapForMs, type JoinToken, joinTokenRef, oneTimeForMs, type TokenId } from './join-token.ts';
import { tokenView } from './view.ts';

type Routes = typeof adminRoutes;

const oneTimeLife = { usualMs: oneTimeForMs, longestMs: oneTimeForMs, tooLong: 'a token for one name ends within an hour' };
/** A token for a set of hosts is valid for 30 days by default. */
const bootstrapLife = { usualMs: 30 * dayMs, longestMs: bootstrapForMs, tooLong: 'a token ends within a year' };

/** Makes a join token. Only this answer has the secret: a repeated call makes another token. */
export async function createNodeToken({ body, request, caller }: AdminCall<'createNodeToken'>, shell: Shell): Promise<Answer> {
  const now = shell.now();
  const expiresAt = endOf(body, now);
  const zone = await givenZone(shell, body.zone, caller);
  const { id, text, hash } = mintSecret('mjt', shell.randomBytes);
  const { nodes, kind, uses, cidr, anyWatch } = body;
  const token: JoinToken = {
    id: id as TokenId,
    hash,
    nodes,
    kind,
    zone,
    uses,
    createdAt: now,
    expiresAt,
    admitted: [],
    madeBy: caller.makes,
    ...(cidr !== undefined && { cidr }),
    ...(anyWatch && { anyWatch }),
  };
  const create = { type: 'create', id: request.id, token } as const;
  await applyInZone(shell, { ref: joinTokenRef(id), zone }, create, decide);
  return madeToken(text, tokenView(token, now));
}

/**
 * When a token ends: a token for a single name ends within the hour, and is used once. Throws a Refusal for an end or a
 * number of uses that a token cannot have.
 */
function endOf({ nodes, uses, expiresAt }: BodyOf<Routes['createNodeToken']>, now: EpochMs): EpochMs {
  const isOneTime = isOneName(readPattern(nodes) ?? []);
  if (isOneTime && uses !== 1) throw notTaken('/uses', 'a token for one name is used once; for more hosts give a pattern of names');
  return endOfToken(expiresAt, now, isOneTime ? oneTimeLife : bootstrapLife);
}

/** Lists tokens by id, in no order of age. */
export const listNodeTokens = ({ query, caller }: AdminCall<'listNodeTokens'>, shell: Shell): Promise<Answer> =>
  listPage<JoinToken>(shell, { list: admissionLists.tokens, signature: 'node tokens', isSeen: ofZones(caller) }, query, tokenView);

/** Revokes a token; one that is revoked already stays as it was. */
export async function revokeNodeToken({ params, request, caller }: AdminCall<'revokeNodeToken'>, shell: Shell): Promise<Answer> {
  const kind = { called: 'join token', decide };
  const token = await revokedToken<JoinToken>(shell, joinTokenRef(params.id), kind, { call: request.id, caller });
  return { status: 200, body: tokenView(token, shell.now()) };
}
