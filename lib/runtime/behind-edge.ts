import { Refusal } from '../api/problem.ts';
import type { Origin } from '../ports/keys/origin.ts';
import { originHeader, publicNameHeader } from './env.ts';

/** A call as API Gateway hands it over, as far as it says where it came from. */
export type Arrived = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly sourceIp: string } };
};

/**
 * The network address of the caller. Behind an edge it is the one that the edge saw, which is believed only when the
 * call shows the edge's secret; whoever calls the API under its own name is refused. Throws a {@link Refusal}, or Later
 * when the secret cannot be read.
 */
export async function callerOf({ headers, requestContext }: Arrived, origin: Origin | undefined): Promise<string> {
  const { sourceIp } = requestContext.http;
  if (!origin) return sourceIp;
  if (!(await origin.isShown(headers[originHeader])))
    throw new Refusal('misdirected', 'this address is not for callers: call the deployment under its own name');
  return seenByEdge(headers['x-forwarded-for'] ?? '', sourceIp) ?? sourceIp;
}

/**
 * The name under which the caller has reached us. The edge calls the API under the API's own name, and says the public
 * one; that is believed of calls that {@link callerOf} has let through alone, and never without an edge, where a caller
 * might say anything.
 */
export const hostOf = ({ headers }: Pick<Arrived, 'headers'>, origin: Origin | undefined): string | undefined =>
  (origin && headers[publicNameHeader]) || headers['host'];

/** CloudFront appends the address it saw to whatever the caller sent, and API Gateway appends CloudFront's. */
function seenByEdge(forwarded: string, edge: string): string | undefined {
  const addresses = forwarded.split(',').map((one) => one.trim());
  if (addresses.at(-1) === edge) addresses.pop();
  return addresses.at(-1) || undefined;
}
