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

/** 256 bits: the strength of HMAC-SHA-256. */
const secretBytes = 32;

/**
 * Signs with a new key from now on. A caller that names the key to replace replaces no other, however often it makes
 * the call. Throws a {@link Refusal} while tokens of the key that this would retire may be in use, unless forced.
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
  // Keys of the audit are never retired: entries that they sealed continue to verify.
  if (before && !body.force && of === 'tokens') refuseEarly(newest!, before, at);
  await note(shell, { id: request.id, replaced: newest!.id, force: body.force, ...(of === 'audit' && { of }) });
  const rotation = await keys.rotate({ from: newest!.id, secret: shell.randomBytes(secretBytes), at });
  if (!rotation) throw new Refusal('refused', `another call is replacing key ${newest!.id}: list the keys, then try again`);
  shell.log('info', 'keys.rotated', { id: request.id, ...rotation });
  return { status: 200, body: { ...rotation, because: becauseOf(rotation, newest!.id, of) } };
}

type Order = { readonly id: string; readonly replaced: number; readonly force: boolean; readonly of?: 'audit' };

/**
 * Keys are not rows, so the order has a row of its own, from which the audit records it. It is written first: the audit
 * may have an order without effect, but must not miss one.
 */
const note = (shell: Shell, order: Order): Promise<unknown> =>
  apply(shell, { noun: 'token-keys', id: 'deployment' }, order, (_before, { id: _id, ...recorded }) =>
    write<Omit<Order, 'id'>, never>(
      recorded,
      `${recorded.of === 'audit' ? "the audit's key" : 'key'} ${recorded.replaced} stops signing${recorded.force ? ', forced' : ''}`,
    ),
  );

/**
 * Throws a {@link Refusal} while tokens of the key before may be valid: a token lives for 7 days after it was signed.
 */
function refuseEarly({ id, since }: KeyAge, before: KeyAge, now: EpochMs): void {
  const freeAt = since === undefined ? undefined : ((since + tokenLifeS * secondMs) as EpochMs);
  if (freeAt !== undefined && now >= freeAt) return;
  const knock = `their owners would have to knock again at once`;
  throw new Refusal(
    'refused',
    freeAt === undefined
      ? `tokens of key ${before.id} may be in use, because it is unknown since when key ${id} signs: ${knock}; force it to go on`
      : `tokens of key ${before.id} are in use until ${moment(freeAt)}: ${knock}; wait until then, or force it`,
  );
}

function becauseOf({ current, retired }: Rotation, before: number, of: 'tokens' | 'audit'): string {
  if (of === 'audit') return `key ${current} seals the audit; entries sealed by key ${before} and those before it still verify`;
  const gone = retired === undefined ? '' : `, tokens of key ${retired} are no longer valid`;
  return `key ${current} signs; tokens of key ${before} are valid until they are renewed${gone}`;
}

const moment = (at: EpochMs): string => new Date(at).toISOString();
