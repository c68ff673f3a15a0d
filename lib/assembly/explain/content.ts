import type { AdminCaller } from '../../access/verify-admin.ts';
import { serversOf } from '../../content/revisions/reads/servers.ts';
import { contentRef, revisionOf, type ZoneContent } from '../../content/revisions/revision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Explanation } from './routes.ts';
import { ofZone } from './stations.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();
const being = {
  reached: 'has it',
  failed: 'could not take it',
  open: 'is at it',
  due: 'is to be told',
  edited: 'keeps changes that the others do not have',
  away: 'is not up',
} as const;

/** Why the servers of a zone are to have the common content that they are, and how far each is. */
export async function explainContent(shell: Shell, name: string, caller: AdminCaller): Promise<Explanation> {
  const { state, ...row } = await ofZone<ZoneContent>(shell, name, caller, contentRef);
  const revision = state && revisionOf(state);
  const servers = revision ? await serversOf(shell, name, revision) : [];
  const { exporting, spreading } = state ?? {};
  return {
    subject: `the revisions of the common content of zone ${name}`,
    state: revision
      ? `revision ${revision.revision}, of ${revision.fqdn}, ${spreading?.stopped !== undefined ? 'was stopped' : spreading ? 'is on its way' : 'has spread'}`
      : 'there is no revision yet',
    ...row.decision,
    also: [
      ...(exporting
        ? [
            {
              subject: 'the next revision',
              because: `the content of ${exporting.fqdn} is read: ${exporting.because}`,
              at: iso(exporting.from),
            },
          ]
        : []),
      ...(spreading?.stopped === undefined ? [] : [{ subject: 'it was stopped', because: spreading.stopped }]),
      ...servers.map(({ fqdn, is, at, why }) => ({
        subject: fqdn,
        because: why === undefined ? being[is] : `${being[is]}: ${why}`,
        ...(at !== undefined && { at: iso(at) }),
      })),
    ],
  };
}
