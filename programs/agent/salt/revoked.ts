import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import type { Fingerprint, NodeId } from '../../../lib/core/ids.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { Memory, Verdict } from './memory.ts';

/**
 * The memory with doubts about client systems whose place in the zone was revoked since the last question, once the
 * answer to a heartbeat names later revocations. A master keeps keys of client systems that have moved, and no list
 * shows their ban. Throws {@link Unreachable} when Muster does not answer.
 */
export async function doubting(api: ApiClient, id: NodeId, memory: Memory, latest: number | undefined): Promise<Memory> {
  const { revoked } = memory;
  if (latest === undefined || latest === revoked?.version) return memory;
  const answer = await api(nodeRoutes.revoked, { params: { id }, query: revoked ? { since: revoked.at } : {} });
  if (!answer.ok) throw new Unreachable(`Muster refused to give the revocations: ${problemTypeOf(answer.problem)}`);
  const { version, at, systems, everybody } = answer.body;
  const tops = new Set(systems);
  const verdicts = Object.fromEntries(
    (Object.entries(memory.verdicts) as [Fingerprint, Verdict][]).map(([key, verdict]) => {
      const isRevoked = everybody || tops.has((verdict.fp ?? key).slice(0, 8));
      return [key, isRevoked ? { ...verdict, doubted: true as const } : verdict];
    }),
  );
  return { ...memory, verdicts, revoked: { version, at } };
}
