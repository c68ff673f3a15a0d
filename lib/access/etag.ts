import { createHash } from 'node:crypto';
import { strong } from '../api/etag.ts';
import { Refusal } from '../api/problem.ts';
import type { Client } from '../clients/client.ts';
import type { Decision } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Node } from '../nodes/node.ts';
import type { HttpRequest } from '../runtime/function.ts';

/**
 * An ETag of the fields that callers may edit, and of nothing else: a heartbeat or another sign of life between reading
 * and editing causes no conflict. It takes lists, not objects, because a table may return the names of a row in another
 * order.
 */
const etagOf = (editable: readonly unknown[]): string =>
  `"${createHash('sha256').update(JSON.stringify(editable)).digest('base64url').slice(0, 16)}"`;

/** The version of a node's weight, capacity, rate of admission and labels. */
export const nodeEtag = (node: Node): string => {
  const labels = Object.entries(node.labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return etagOf([node.weight, node.capacity ?? null, node.admitEveryMs ?? null, labels, ...(node.page === undefined ? [] : [node.page])]);
};

/** The version of a client system's tags and groups. */
export const systemEtag = (client: Client): string => etagOf(client.standing === 'accepted' ? [client.tags, client.groups] : []);

/** The version of the deployment's settings. */
export const settingsEtag = (deployment: Deployment | undefined): string =>
  etagOf([deployment?.beatMinMs ?? null, deployment?.openCalls ?? null, deployment?.newKeysPerSource ?? null]);

/**
 * The same decision, refused when the row's version differs from the one in the caller's If-Match. The check is part of
 * the decision: a check before reading the row would let two callers edit the same version. Without If-Match, every
 * edit passes. A weak one names the same version: an answer that was encoded on its way has it. Throws a
 * {@link Refusal}.
 */
export const ifMatch =
  <S, I>(
    request: HttpRequest,
    versionOf: (state: S | undefined) => string | undefined,
    decide: (state: S | undefined, input: I, now: EpochMs) => Decision<S>,
  ): typeof decide =>
  (state, input, now) => {
    const wanted = request.header('if-match');
    const etag = versionOf(state);
    if (wanted === undefined || etag === undefined || strong(wanted) === etag) return decide(state, input, now);
    throw new Refusal('version-conflict', `the current version is ${etag}, not ${wanted}`, { headers: { etag } });
  };
