import type { AuditView } from '../../../lib/api/admin-audit-routes.ts';
import { contract } from '../../../lib/api/contract.ts';
import type { Cli } from '../../cli.ts';

/** The most the API gives at once. */
const limit = 200;

/** Every entry of these days, page by page: an audit may be longer than memory. */
export async function* entriesOf(cli: Cli, days: { from?: string; to?: string }): AsyncGenerator<AuditView, void, undefined> {
  for (let cursor: string | undefined; ; ) {
    const { body } = await cli.call(contract.listAudit, { query: { ...days, limit, ...(cursor !== undefined && { cursor }) } });
    yield* body.items;
    if (body.next === undefined) return;
    cursor = body.next;
  }
}

/** The day of an entry, by which its chain is named. */
export const dayOf = ({ at }: Pick<AuditView, 'at'>): string => at.slice(0, 10);
