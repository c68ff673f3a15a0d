import type { Route } from '../api/route.ts';
import type { HttpRequest } from './function.ts';
import type { Shell } from './shell.ts';

/** Who is calling, as far as the door could prove it. */
export type Caller = { readonly who: 'anyone'; readonly source: string };

/**
 * The one place where a door verifies its caller. Until identities exist nobody can prove anything: the embedded host binds to
 * loopback only, and every deployed route carries the AWS_IAM authorizer, so that whoever gets here was let in by those.
 */
export const verify = async (request: HttpRequest, _route: Route, _shell: Shell): Promise<Caller> => ({
  who: 'anyone',
  source: request.source,
});
