import { join } from 'node:path';
import type { Terminal } from './terminal.ts';

/** Where an embedded host keeps the secret of its operator, in its state folder; a new one at each start. */
const operatorFile = 'operator.key';

/**
 * The bearer token for a deployment: MUSTER_TOKEN, or the operator's secret of the embedded host on this machine, which it leaves in its
 * state folder (MUSTER_HOME, else .muster) for its own user. Undefined when there is neither. The operator's secret never leaves loopback.
 */
export function bearerFor(endpoint: string, { env, read }: Pick<Terminal, 'env' | 'read'>): string | undefined {
  const given = env['MUSTER_TOKEN']?.trim();
  if (given) return given;
  if (!isLoopback(endpoint)) return undefined;
  return read(join(env['MUSTER_HOME'] || '.muster', operatorFile))?.trim();
}

/** Whether an address is this machine's own, by its number or by the name that every machine has for it. */
const isLoopback = (endpoint: string): boolean => /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/i.test(URL.parse(endpoint)?.hostname ?? '');
