import { pageHeaders } from '../../../../lib/page/headers.ts';

/**
 * The headers of every answer of the site: those of Muster's own page, which is among them. Apache sets the policy
 * again, since the server's own would replace it.
 */
export const siteHeaders: Readonly<Record<string, string>> = { ...pageHeaders, 'cache-control': 'no-store' };
