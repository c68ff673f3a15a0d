import type { Route } from './route.ts';

/** Whether the API makes a call once by its Idempotency-Key. */
export const takesIdempotencyKey = ({ method, path, secret }: Route): boolean =>
  method === 'POST' && path.startsWith('/api/v1/') && !secret;
