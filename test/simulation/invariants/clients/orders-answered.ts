import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Answered } from '../../watching.ts';
import { ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';

const orders = /^\/api\/v1\/systems\/(accept|ban|unregister)$/;
type Result = { readonly fp: string; readonly done: boolean; readonly busy?: true; readonly because: string };

/** An order about one node: that it leaves or stays, is given up or edited. */
const ofNode = /^\/api\/v1\/nodes\/([^/]+)(\/leave|\/drop)?$/;

/** Who has just accepted a machine and reads that somebody else has looks for a colleague that there is not. */
export const ordersAnswered: Invariant = {
  name: 'an-order-is-answered-as-it-was-carried-out',
  says: 'an administrator who accepts, bans or unregisters client systems, has a node leave or stay, gives it up or edits it, is never told that nothing was done where that very call did it, although the table lost the answer',
  begin: ({ violated }) => {
    const clients = new ClientTruth();
    const changed = new Map<string, Set<string>>();
    const nodes = new Map<string, Row>();
    return {
      committed: (changes) => {
        clients.take(changes);
        for (const { after } of changes) {
          if (after.key.sk === 'node') nodes.set(after.key.pk, after);
          const request = after.key.sk === 'client' ? after.actor?.request : undefined;
          if (request === undefined) continue;
          const fps = changed.get(request) ?? new Set();
          changed.set(request, fps.add(decodeURIComponent(after.key.pk.slice('client#'.length))));
        }
      },
      answered: (call) => {
        const denied = deniedOf(call, nodes);
        if (denied !== undefined) violated(`${call.method} ${call.path} by ${call.by} was carried out, and answered ${denied}`);
        const { request, method, path, status, body, by } = call;
        const done = request === undefined ? undefined : changed.get(request);
        if (!done || method !== 'POST' || status !== 200 || !orders.test(path)) return;
        // Busy is the answer where nobody knows: the table gave none.
        for (const result of (JSON.parse(body) as { results: Result[] }).results)
          if (!result.done && !result.busy && done.has(clients.of(result.fp)?.fp ?? result.fp))
            violated(`${path} by ${by} changed ${result.fp.slice(0, 8)} and said that it had not: ${result.because}`);
      },
    };
  },
};

/**
 * How an order about a node was answered that says nothing was done, where its row is still as that call left it;
 * undefined where there is no such answer. Once others have written the row since, nobody can tell any more whose
 * commit was lost.
 */
function deniedOf({ request, method, path, status, body }: Answered, nodes: ReadonlyMap<string, Row>): string | undefined {
  const [, id] = (method === 'POST' || method === 'PATCH' ? ofNode.exec(path) : null) ?? [];
  if (id === undefined || request === undefined || nodes.get(`node#${id}`)?.by !== request) return undefined;
  const isRefused = status >= 400 && status < 500;
  return isRefused || (status === 202 && !(JSON.parse(body) as Result).done) ? `${status} ${body}` : undefined;
}
