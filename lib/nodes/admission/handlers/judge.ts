import { hasEndedWithMaker } from '../../../access/known-keys.ts';
import type { Refusal } from '../../../api/problem.ts';
import type { PlannedChange } from '../../../core/decision.ts';
import type { NodeId, ZoneName } from '../../../core/ids.ts';
import type { EpochMs } from '../../../core/time.ts';
import { parseSecret } from '../../../identity/secret-text.ts';
import type { Reading } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { decide as decideToken, faultOf } from '../../join-tokens/decide.ts';
import { joinTokenRef } from '../../join-tokens/join-token.ts';
import type { NodeKind } from '../../node.ts';
import type { AskingHost } from '../command.ts';
import { decideRules } from '../decide.ts';
import { isAdmittedAs, isOwnWatch } from '../rows/own-watch.ts';
import { ruleFor, rulesRef } from '../rows/rules.ts';
import { type HeldHost, poolChange } from './pool.ts';
import { watchRefused } from './refusals.ts';

/**
 * An admission of a host: its zone, its kind, and the changes that use the admission up in the commit that makes the
 * host a node.
 */
export type Admission = {
  readonly zone: ZoneName;
  readonly kind: NodeKind;
  /** The node whose place it takes once it is ready. */
  readonly replaces?: NodeId | undefined;
  readonly changes: readonly PlannedChange[];
};
/** A token that admits no node; the true reason is for the audit alone. */
export type Denied = { readonly denied: string };
/** A token that admits the host, but not the address at which it asks to be watched. */
export type Unwatched = { readonly refusal: Refusal };

/** A host that asks to join, the node that it would be, and when an operator removed or rejected it, if one did. */
export type Applicant = AskingHost & { readonly node: NodeId; readonly outSince?: EpochMs | undefined };

/** By a token: it is used in the same commit, so that of two hosts that bring it at once only one gets in. */
export async function byToken(shell: Shell, reading: Reading, text: string, host: Applicant): Promise<Admission | Denied | Unwatched> {
  const parsed = parseSecret(text, 'mjt');
  if (typeof parsed === 'string') return { denied: `the text that was sent is not a join token (${parsed})` };
  const ref = joinTokenRef(parsed.id);
  const row = await reading.row(ref);
  const now = shell.now();
  const token = stateOf(row, now);
  if (!token) return { denied: `no token has the id ${parsed.id}` };
  const presented = { ...host, secret: parsed.secret };
  const fault = faultOf(token, presented, now);
  if (fault !== undefined) return { denied: `token ${parsed.id}: ${fault}` };
  if (token.madeBy && (await hasEndedWithMaker(shell, token.madeBy, token.createdAt)))
    return { denied: `token ${parsed.id}: it was revoked with the credentials that made it` };
  if (!token.anyWatch && !isOwnWatch(host)) return { refusal: watchRefused(host) };
  const decision = decideToken(token, { type: 'use', ...presented }, now);
  return { zone: token.zone, kind: token.kind, changes: [{ ref, readRev: row!.rev, decision }] };
}

/**
 * By an operator, who admitted the host as it waited in the pool; only for the name that the operator saw, and for a
 * watch address that is allowed.
 */
export const byOperator = (shell: Shell, { host, row }: HeldHost, asking: Applicant): Admission | undefined =>
  host?.standing === 'admitted' && isAdmittedAs(host, asking)
    ? { ...host.as, changes: poolChange(shell, asking.fp, { host, row }, { type: 'joined' }) }
    : undefined;

/**
 * By the first rule that matches: it is counted in the same commit. For a rule without a count, the commit checks that
 * it still exists.
 */
export async function byRule(reading: Reading, host: Applicant): Promise<Admission | undefined> {
  const row = await reading.row(rulesRef);
  const rules = row?.body;
  const rule = rules && ruleFor(rules, host);
  if (!rule) return undefined;
  const decision = decideRules(rules, { type: 'use', name: rule.name, fqdn: host.fqdn });
  return { zone: rule.zone, kind: host.kind, changes: [{ ref: rulesRef, readRev: row!.rev, decision }] };
}
