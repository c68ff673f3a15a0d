import type { AdminCall } from '../../../access/verify-admin.ts';
import { needsEverywhere } from '../../../access/zones-of-caller.ts';
import { Refusal } from '../../../api/problem.ts';
import { apply } from '../../../runtime/apply.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { applyInZone } from '../../../zones/changes/gate.ts';
import { givenZone } from '../../../zones/reads/found.ts';
import type { RulesCommand } from '../command.ts';
import { decideRules } from '../decide.ts';
import { type AdmissionRule, rulesRef } from '../rows/rules.ts';

/** Lists the rules, in the order in which they are checked. */
export async function listAdmissionRules({ caller }: AdminCall<'listAdmissionRules'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'read');
  const row = await read(shell, rulesRef);
  return { status: 200, body: row ?? { rules: [] } };
}

/** Adds a rule after the others, or replaces the one that has its name. */
export async function addAdmissionRule({ body, request, caller }: AdminCall<'addAdmissionRule'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'admin');
  const rule: AdmissionRule = { ...body, zone: await givenZone(shell, body.zone, caller) };
  const add = { type: 'add', id: request.id, rule } as const;
  const put = { ref: rulesRef, zone: rule.zone };
  const { decision, state } = await applyInZone(shell, put, add, decideRules);
  if (decision.does === 'nothing') throw new Refusal('refused', decision.because);
  return { status: 200, body: state };
}

/** Deletes a rule; the nodes that it admitted stay. */
export async function deleteAdmissionRule({ params, request, caller }: AdminCall<'deleteAdmissionRule'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'admin');
  const { decision, state } = await command(shell, request.id, { type: 'delete', name: params.name });
  if (decision.does === 'nothing') throw new Refusal('unknown-rule', `no admission rule is called ${params.name}`);
  return { status: 200, body: state };
}

const command = (shell: Shell, id: string, one: RulesCommand) => apply(shell, rulesRef, { ...one, id }, decideRules);
