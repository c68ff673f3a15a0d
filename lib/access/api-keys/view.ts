import type { EpochMs } from '../../core/time.ts';
import { type ApiKey, statusOf } from './api-key.ts';
import type { ApiKeyView } from './routes.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

const rightsView = (rights: ApiKey['rights']): ApiKeyView['rights'] =>
  Object.fromEntries(Object.entries(rights).map(([scope, reach]) => [scope, reach === 'all' ? reach : [...reach]]));

/** A key, session or link as the API and the CLI show it, without the hash of its secret. */
export function apiKeyView(key: ApiKey, now: EpochMs): ApiKeyView {
  const { id, kind, name, rights, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt } = key;
  return {
    id,
    kind,
    status: statusOf(key, now),
    name,
    rights: rightsView(rights),
    createdAt: iso(createdAt),
    createdBy,
    expiresAt: iso(expiresAt),
    ...(lastUsedAt !== undefined && { lastUsedAt: iso(lastUsedAt) }),
    ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
  };
}
