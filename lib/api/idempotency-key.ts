import type { Route } from './route.ts';

/** Whether a route takes an Idempotency-Key, by which the API makes a repeated call only once. */
export const takesIdempotencyKey = ({ method, path, secret, momentary }: Route): boolean =>
  method === 'POST' && path.startsWith('/api/v1/') && !secret && !momentary;
