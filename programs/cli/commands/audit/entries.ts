import type { AuditPlace, AuditView } from '../../../../lib/audit/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Cli } from '../../cli.ts';

/** The most the API gives at once. */
const limit = 200;

/** Every entry of these days, page by page: an audit may be larger than memory. It names places that cannot be read. */
export async function* entriesOf(cli: Cli, days: { from?: string; to?: string }): AsyncGenerator<AuditView, void, undefined> {
  for (let cursor: string | undefined; ; ) {
    const { body } = await cli.call(contract.listAudit, { query: { ...days, limit, ...(cursor !== undefined && { cursor }) } });
    sayUnreadable(cli, body.unreadable);
    yield* body.items;
    if (body.next === undefined) return;
    cursor = body.next;
  }
}

/** Names the places that hold something that is no entry. */
export function sayUnreadable(cli: Cli, places: readonly AuditPlace[] = []): void {
  for (const { zone, day, n } of places) cli.say(`zone ${zone}, ${day}, n ${n}: cannot be read; audit verify says why`);
}

/** The day of an entry, by which its chain is named. */
export const dayOf = ({ at }: Pick<AuditView, 'at'>): string => at.slice(0, 10);
