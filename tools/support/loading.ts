import admin from '../../functions/admin.ts';
import { apiClient, type Fetching } from '../../lib/api/client.ts';
import { ZoneName } from '../../lib/core/ids.ts';
import { checkFacts } from '../../lib/mero/facts/check/check.ts';
import type { Expansion } from '../../lib/mero/facts/expand/expand.ts';
import type { Facts } from '../../lib/mero/facts/facts.ts';
import { cutFacts } from '../../lib/mero/facts/load/cut.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import type { Cli } from '../../programs/cli/cli.ts';
import { dumpedFacts } from '../../programs/cli/commands/mero/dumping.ts';
import { type Cut, type Loaded, loadFacts } from '../../programs/cli/commands/mero/loading.ts';
import { failureOf } from '../../programs/cli/exit-codes.ts';
import { aRequest } from './a-request.ts';
import { adminCall } from './admin-call.ts';
import { asOperator } from './operator.ts';

/** Calls a shell's admin API as a client calls one over a network. */
function throughFunctions(shell: Shell): Fetching {
  return async (url, { method, headers, body = '' }) => {
    const { pathname, search } = new URL(url);
    const request = aRequest({
      method,
      path: pathname,
      query: search.slice(1),
      body,
      headers: { host: 'muster.acme.org', ...headers, ...asOperator },
    });
    const reply = await admin.handle({ ...request, id: `call-${shell.newId()}` }, shell);
    return new Response(reply.body, { status: reply.status, headers: { ...reply.headers } });
  };
}

/**
 * The part of a command line that loading needs, on a shell; `before` may end it before a call, by the number of the
 * call from 1.
 */
export function cliOf(shell: Shell, before: (call: number) => void = () => undefined): Cli {
  const client = apiClient('http://muster.acme.org', { fetching: throughFunctions(shell), timeoutMs: Number.POSITIVE_INFINITY });
  let calls = 0;
  const call: Cli['call'] = async (route, sent) => {
    calls += 1;
    before(calls);
    const answer = await client(route, sent);
    if (!answer.ok) throw failureOf(answer.problem);
    return answer as never;
  };
  return { call, terminal: { sleep: async () => undefined } } as unknown as Cli;
}

/** Facts that are known to be good: as they are, expanded, and cut into parts. */
export function goodFacts(value: unknown): { readonly facts: Facts; readonly expansion: Expansion; readonly cut: Cut } {
  const checked = checkFacts(value);
  if (!checked.ok) throw new Error(checked.defects.map(({ path, says }) => `${path.join('.')}: ${says}`).join('; '));
  const cut = cutFacts(checked.facts, checked.expansion);
  if (!cut.ok) throw new Error(cut.defects.map(({ says }) => says).join('; '));
  return { ...checked, cut };
}

/** Makes a storage zone. */
export async function aStorageZone(shell: Shell, name = 'tier1'): Promise<ZoneName> {
  await adminCall(shell, 'zones', asOperator, { name, kind: 'storage' });
  return ZoneName.parse(name);
}

/** Loads facts into a zone as `muster mero load` does. Throws a Failure when they are refused. */
export const load = (shell: Shell, zone: ZoneName, cut: Cut, before?: (call: number) => void): Promise<Loaded> =>
  loadFacts(cliOf(shell, before), zone, cut, () => undefined);

/** The facts of a zone as `muster mero dump` has them. */
export const dump = (shell: Shell, zone: ZoneName): Promise<Facts> => dumpedFacts(cliOf(shell), zone);
