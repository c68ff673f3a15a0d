import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem, whereSeen } from '../../access/zones-of-caller.ts';
import { nothing } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import { Fingerprint } from '../../core/ids.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import { systemRow } from '../reads/rows.ts';
import type { ClientCommand } from '../rows/command.ts';
import { someSystems } from './list.ts';
import { type Selection, selectionOf } from './selection.ts';

type Result = { fp: string; done: boolean; busy?: true; because: string };
type Labelling = Extract<ClientCommand, { type: 'label' }>;

/** The most client systems that one call looks for. */
const pageMax = 200;

/**
 * Edits tags and groups of many client systems, each by itself. A client system that cannot be edited has the reason as
 * its result, and the others are unaffected.
 */
export async function editSystems({ body, request, caller }: AdminCall<'editSystems'>, shell: Shell): Promise<Answer> {
  const { where, tags, groups, dryRun, cursor } = body;
  const order: Labelling = { type: 'label', id: request.id, tags, groups };
  const { fps, rest } = where
    ? await meant(where, cursor, caller, shell)
    : await selectionOf(shell, body, `edit ${JSON.stringify([tags, groups, dryRun])}`, caller);
  const results = await Promise.all([...new Set(fps)].map((fp) => one(shell, fp, order, caller, dryRun)));
  return { status: 200, body: { results, ...rest } };
}

type Where = NonNullable<AdminCall<'editSystems'>['body']['where']>;

/**
 * A page of the accepted client systems that match. Edited client systems keep their fingerprint order: a cursor
 * continues behind the last.
 */
async function meant(
  where: Where,
  cursor: string | undefined,
  caller: AdminCaller,
  shell: Shell,
): Promise<Pick<Selection, 'fps' | 'rest'>> {
  const query = { ...where, limit: pageMax, ...(cursor !== undefined && { cursor }) };
  const { items, next } = await someSystems(query, 'systems to edit', caller, shell);
  const fps = items.flatMap(({ fp, status }) => (isAccepted(status) ? [Fingerprint.parse(fp)] : []));
  return { fps, rest: { ...(next !== undefined && { next }) } };
}

const isAccepted = (status: string): boolean => status === 'onboarded' || status === 'orphan';

/** `busy` is a result of one system: failing the call would hide what was done to the others. */
async function one(shell: Shell, fp: Fingerprint, order: Labelling, caller: AdminCaller, dryRun: boolean): Promise<Result> {
  try {
    return await labelled(shell, fp, order, caller, dryRun);
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'door.refused', { id: order.id, type: error.code, detail: error.message });
    return { fp, done: false, busy: true, because: 'busy, try again' };
  }
}

async function labelled(shell: Shell, fp: Fingerprint, order: Labelling, caller: AdminCaller, dryRun: boolean): Promise<Result> {
  const known = await systemRow(shell, fp);
  const unknown = 'this key never knocked, or its knock has expired';
  if (!known || !seesSystem(caller, known.state)) return { fp, done: false, because: unknown };
  const ifSeen = whereSeen(caller, decide, () => nothing(unknown));
  const ref = clientRef(known.state.fp);
  const decision = dryRun ? ifSeen(known.state, order, shell.now()) : (await apply(shell, ref, order, ifSeen)).decision;
  const isSo = decision.does !== 'nothing' || decision.because === soAlready;
  return { fp: known.state.fp, done: isSo, because: decision.because };
}

/** The reason when a repeat changes nothing. It counts as done. */
const soAlready = 'it is so already';
