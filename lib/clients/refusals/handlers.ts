import type { AdminCall } from '../../access/verify-admin.ts';
import { seesZone } from '../../access/zones-of-caller.ts';
import type { Refusal } from '../../api/problem.ts';
import type { HttpRequest } from '../../runtime/function.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { presentedToken } from '../onboarding-tokens/reads/apart.ts';
import { clientRoutes } from '../routes.ts';
import { noteRefused } from './changes.ts';
import { refusedLately } from './reads.ts';
import { refusedKnocksView } from './view.ts';

/** Knocks that were refused lately, as far as the caller sees them. */
export async function listRefusedKnocks({ caller }: AdminCall<'listRefusedKnocks'>, shell: Shell): Promise<Answer> {
  const refused = await refusedLately(shell);
  return { status: 200, body: { items: refused.filter(({ zone }) => seesZone(caller, zone)).map(refusedKnocksView) } };
}

/**
 * The refusals that an operator can do something about. The others concern one machine, whose own log shows them, or
 * are part of every first knock.
 */
const noted: ReadonlySet<Refusal['type']> = new Set(['onboarding-rate', 'rate-limited', 'key-in-use', 'weak-key', 'unsupported-key']);

/** Takes note of a knock that was refused. */
export async function noteRefusal({ type }: Refusal, request: HttpRequest, shell: Shell): Promise<void> {
  if (request.path !== clientRoutes.knock.path || !noted.has(type)) return;
  const { id, source } = request;
  await noteRefused(shell, { id, reason: type, source, token: await presentedToken(request, shell) });
}
