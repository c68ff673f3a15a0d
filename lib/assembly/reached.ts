import type { AdminCaller } from '../access/verify-admin.ts';
import { problems, Refusal } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { recordAttempt } from '../runtime/attempts.ts';
import type { Answer, Call, Handlers } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';

/*
 * A caller who is limited to some zones learns nothing of others: the answer is as if their things did not exist. An
 * auditor does learn it: each such answer is recorded as an attempt, with the zones that the caller reached for.
 * Answers about things that really do not exist are recorded too. Otherwise, the time of an answer would distinguish
 * the two.
 */

type Routes = Readonly<Record<string, Route>>;
type AnyCall = Call<Route, AdminCaller>;
type AnyHandler = (call: AnyCall, shell: Shell) => Answer | Promise<Answer>;

/** The same handlers of these routes, which record answers that something does not exist. */
export const recordingReach = <R extends Routes>(routes: R, handlers: Handlers<R, AdminCaller>): Handlers<R, AdminCaller> =>
  Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, recording(route, handlers[name] as AnyHandler)]),
  ) as unknown as Handlers<R, AdminCaller>;

function recording(route: Route, handle: AnyHandler): AnyHandler {
  const note = async (call: AnyCall, shell: Shell, type: Refusal['type']): Promise<void> => {
    const zones = [...(call.caller.reached ?? [])].toSorted();
    const subject = Object.entries(call.params ?? {}).map(([what, id]) => `${what} ${String(id)}`);
    await recordAttempt(shell, {
      request: call.request,
      route,
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
