import { faults } from '../faults.ts';
import { type Method, reads, writes } from '../method.ts';
import { schedule } from './schedule.ts';

/** Errata, and applying them: to the systems whose channels have them, where only these are asked for. */
export const errataMethods: readonly Method[] = [
  reads('errata.getDetails', { advisoryName: 'string' }, async ({ database }, { advisoryName }) => {
    const [found] = await database.rows<{ id: number }>(
      `SELECT id, to_char(issue_date, 'YYYY-MM-DD') AS issue_date, advisory_rel AS release, advisory_status, product, synopsis, type
       FROM (SELECT *, advisory_type AS type FROM rhnerrata) e WHERE advisory_name = $1`,
      [advisoryName],
    );
    if (!found) throw faults.noSuchErrata(advisoryName);
    return found;
  }),
  writes(
    'system.scheduleApplyErrata',
    {
      ...{ sids: 'int[]', errataIds: 'int[]', earliestOccurrence: 'date' },
      ...{ allowModules: 'boolean', onlyRelevant: 'boolean', allowVendorChange: 'boolean' },
    },
    async (call, { sids, errataIds, earliestOccurrence, onlyRelevant }) => {
      const relevant = await call.database.rows<{ sid: number }>(
        `SELECT DISTINCT sc.server_id AS sid FROM rhnserverchannel sc JOIN rhnchannelerrata ce ON ce.channel_id = sc.channel_id
         WHERE sc.server_id = ANY($1) AND ce.errata_id = ANY($2)`,
        [sids, errataIds],
      );
      if (!onlyRelevant && relevant.length < sids.length) throw faults.noSuchErrata(String(errataIds[0]));
      const due = relevant.map(({ sid }) => sid);
      return due.length === 0 ? [] : [await schedule(call, due, 'errata.update', earliestOccurrence)];
    },
  ),
];
