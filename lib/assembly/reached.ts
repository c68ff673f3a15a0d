import type { AdminCaller } from '../access/verify-admin.ts';
import { adminRoutes } from '../admin-contract.ts';
import { problems, Refusal } from '../api/problem.ts';
import { recordAttempt } from '../runtime/attempts.ts';
import type { Answer, Call, Handlers } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';

/*
 * A caller who is limited to some zones learns nothing of others: the answer is as if their things did not exist. An
 * auditor does learn it: each such answer is recorded as an attempt, with the zones that the caller reached for.
 * Answers about things that really do not exist are recorded too. Otherwise, the time of an answer would distinguish
 * the two.
 */

type AdminHandlers = Handlers<typeof adminRoutes, AdminCaller>;
type AnyCall = Call<(typeof adminRoutes)[keyof typeof adminRoutes], AdminCaller>;
type AnyHandler = (call: AnyCall, shell: Shell) => Answer | Promise<Answer>;

/** The same handlers, which record answers that something does not exist. */
export const recordingReach = (handlers: AdminHandlers): AdminHandlers =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [name, recording(name as keyof typeof adminRoutes, handle as AnyHandler)]),
  ) as unknown as AdminHandlers;

function recording(name: keyof typeof adminRoutes, handle: AnyHandler): AnyHandler {
  const note = async (call: AnyCall, shell: Shell, type: Refusal['type']): Promise<void> => {
    const zones = [...(call.caller.reached ?? [])].toSorted();
    const subject = Object.entries(call.params ?? {}).map(([what, id]) => `${what} ${String(id)}`);
    await recordAttempt(shell, {
      request: call.request,
      route: adminRoutes[name],
      ...(subject.length > 0 && { subject: subject.join(', ') }),
      type,
      detail: zones.length > 0 ? `it belongs to ${zones.join(', ')}, where the caller has no rights` : 'it does not exist',
    });
  };
  return async (call, shell) => {
    if (call.caller.zones === 'all') return handle(call, shell);
    try {
      const answer = await handle(call, shell);
      if (leftUndone(answer.body)) await note(call, shell, 'refused');
      return answer;
    } catch (error) {
      if (error instanceof Refusal && problems[error.type][0] === 404) await note(call, shell, error.type);
      throw error;
    }
  };
}

/** Whether the answer to an order about many things reports one of them as not done. */
const leftUndone = (body: unknown): boolean =>
  Object.values((body ?? {}) as object).some(
    (list) => Array.isArray(list) && list.some((one: { readonly done?: unknown } | null) => one?.done === false),
  );
