import { createHash } from 'node:crypto';
import { mintSecret } from '../../lib/identity/secret-text.ts';

const minted = mintSecret('mst', (bytes) => createHash('shake256', { outputLength: bytes }).update('the operator of tests').digest());

/** The operator's secret of every deployment in memory: it may do everything, everywhere. */
export const operatorSecret: string = minted.text;
/** What those deployments know of it. */
export const operatorHash: string = minted.hash;
/** The header that shows it. */
export const asOperator = { authorization: `Bearer ${operatorSecret}` } as const;

/** The headers of a call: on a path of the admin API the operator's, unless others say who calls. */
export const withOperator = (path: string, headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  path.startsWith('/api/v1/') ? { ...asOperator, ...headers } : headers;
