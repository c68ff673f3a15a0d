import { Refusal } from '../../api/problem.ts';
import { write } from '../../core/decision.ts';
import { type EpochMs, secondMs } from '../../core/time.ts';
import { tokenLifeS } from '../../identity/token.ts';
import type { KeyAge, Keys, Rotation } from '../../ports/keys/keys.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { AdminCall } from '../verify-admin.ts';
import { needsEverywhere } from '../zones-of-caller.ts';

/** The keys that are valid, the newest first, without their secrets. */
export async function listTokenKeys({ query, caller }: AdminCall<'listTokenKeys'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'read');
  const ages = await keysOf(shell, query.of).ages();
  const items = ages.map(({ id, since }, at) => ({
    id,
    use: at === 0 ? 'signs' : 'verifies',
    ...(since !== undefined && { since: moment(since) }),
  }));
  return { status: 200, body: { items } };
}

const keysOf = ({ keys, auditKeys }: Shell, of: 'tokens' | 'audit'): Keys => (of === 'audit' ? auditKeys : keys);

/** 256 bits: as many as HMAC-SHA-256 is strong. */
const secretBytes = 32;

/**
 * Signs with a new key from now on; whoever names the key to replace replaces no other, however often the call is made.
 * Throws a {@link Refusal} while tokens of the key that this would retire may be in use, unless forced.
 */
export async function rotateTokenKeys({ body, request, caller }: AdminCall<'rotateTokenKeys'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  const { of } = body;
  const keys = keysOf(shell, of);
  const [newest, before] = await keys.ages();
  const isReplaced = body.replaces !== undefined && body.replaces < newest!.id;
  if (isReplaced) return { status: 200, body: { current: newest!.id, because: `key ${newest!.id} signs already` } };
  if (body.replaces !== undefined && body.replaces !== newest!.id)
    throw new Refusal('refused', `there is no key ${body.replaces} yet: key ${newest!.id} signs`);
  const at = shell.now();
  // What the audit's keys have sealed goes on verifying: none of them is retired.
  if (before && !body.force && of === 'tokens') refuseEarly(newest!, before, at);
  await note(shell, { id: request.id, replaced: newest!.id, force: body.force, ...(of === 'audit' && { of }) });
  const rotation = await keys.rotate({ from: newest!.id, secret: shell.randomBytes(secretBytes), at });
  if (!rotation) throw new Refusal('refused', `somebody else is replacing key ${newest!.id}: see which keys there are`);
  shell.log('info', 'keys.rotated', { id: request.id, ...rotation });
  return { status: 200, body: { ...rotation, because: becauseOf(rotation, newest!.id, of) } };
}

type Order = { readonly id: string; readonly replaced: number; readonly force: boolean; readonly of?: 'audit' };

/**
 * Keys are no rows, so the order has one of its own, which the audit tells of. It is written first: an order that came
 * to nothing may be audited, none may be missing.
 */
const note = (shell: Shell, order: Order): Promise<unknown> =>
  apply(shell, { noun: 'token-keys', id: 'deployment' }, order, (_before, { id: _id, ...told }) =>
    write<Omit<Order, 'id'>, never>(
      told,
      `${told.of === 'audit' ? "the audit's key" : 'key'} ${told.replaced} is to sign no more${told.force ? ', forced' : ''}`,
    ),
  );

/** A token lives for 7 days: so long after the last one was signed with the key before, nobody holds one any more. */
function refuseEarly({ id, since }: KeyAge, before: KeyAge, now: EpochMs): void {
  const freeAt = since === undefined ? undefined : ((since + tokenLifeS * secondMs) as EpochMs);
  if (freeAt !== undefined && now >= freeAt) return;
  const knock = `whoever has one would have to knock again at once`;
  throw new Refusal(
    'refused',
    freeAt === undefined
      ? `nobody has noted since when key ${id} signs, so tokens of key ${before.id} may be in use: ${knock}, unless forced`
      : `tokens of key ${before.id} are in use until ${moment(freeAt)}: ${knock}; wait until then, or force it`,
  );
}

function becauseOf({ current, retired }: Rotation, before: number, of: 'tokens' | 'audit'): string {
  if (of === 'audit') return `key ${current} seals the audit; what key ${before} and those before it have sealed goes on verifying`;
  const gone = retired === undefined ? '' : `, tokens of key ${retired} hold no more`;
  return `key ${current} signs; tokens of key ${before} hold until they are renewed${gone}`;
}

const moment = (at: EpochMs): string => new Date(at).toISOString();
