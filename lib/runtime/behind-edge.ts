import { Refusal } from '../api/problem.ts';
import type { Origin } from '../ports/keys/origin.ts';
import { originHeader, publicNameHeader } from './env.ts';

/** The parts of an API Gateway call that give its origin. */
export type Arrived = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly sourceIp: string } };
};

/**
 * The network address of the caller. Behind an edge it is the address that the edge saw, which is trusted only when the
 * call has the edge's secret; calls to the API under its own name are refused. Throws a {@link Refusal}, or Later when
 * the secret cannot be read.
 */
export async function callerOf({ headers, requestContext }: Arrived, origin: Origin | undefined): Promise<string> {
  const { sourceIp } = requestContext.http;
  if (!origin) return sourceIp;
  if (!(await origin.isFromEdge(headers[originHeader])))
    throw new Refusal('misdirected', 'this address takes calls of the edge only: call the deployment under its domain name');
  return seenByEdge(headers['x-forwarded-for'] ?? '', sourceIp) ?? sourceIp;
}

/**
 * The host name that the caller used. The edge calls the API under the API's own name, and sends the public name in a
 * header. That header is trusted only in calls that {@link callerOf} has let through, and never without an edge, where
 * a caller could send anything.
 */
export const hostOf = ({ headers }: Pick<Arrived, 'headers'>, origin: Origin | undefined): string | undefined =>
  (origin && headers[publicNameHeader]) || headers['host'];

/** CloudFront appends the address it saw to the caller's header, and API Gateway appends CloudFront's. */
function seenByEdge(forwarded: string, edge: string): string | undefined {
  const addresses = forwarded.split(',').map((one) => one.trim());
  if (addresses.at(-1) === edge) addresses.pop();
  return addresses.at(-1) || undefined;
}
