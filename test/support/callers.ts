import { ApiKey } from '../../lib/access/api-keys/api-key.ts';
import { decideApiKey } from '../../lib/access/api-keys/decide.ts';
import { dayMs, plusMs } from '../../lib/core/time.ts';
import type { Rights } from '../../lib/identity/rights.ts';
import { mintSecret } from '../../lib/identity/secret-text.ts';
import { apply } from '../../lib/runtime/apply.ts';
import type { Shell } from '../../lib/runtime/shell.ts';

/** Stores a key with these rights, as if somebody had made it, and gives its text; a session when `more` says so. */
export async function aKey(shell: Shell, rights: Rights, more: Partial<ApiKey> = {}): Promise<{ id: string; text: string }> {
  const prefix = ({ key: 'mak', session: 'mst', link: 'msl' } as const)[more.kind ?? 'key'];
  const { id, hash, text } = mintSecret(prefix, shell.randomBytes);
  const now = shell.now();
  const life = { createdAt: now, expiresAt: plusMs(now, 30 * dayMs) };
  const key = ApiKey.parse({ id, hash, kind: 'key', name: 'a test', rights, who: `key:${id}`, createdBy: 'operator', ...life, ...more });
  await apply(shell, { noun: 'api-key', id }, { type: 'make', id: `make-${id}`, key } as const, decideApiKey);
  return { id, text };
}

/** The header that shows a secret. */
export const showing = (text: string): { readonly authorization: string } => ({ authorization: `Bearer ${text}` });
