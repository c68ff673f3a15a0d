import { existsSync } from 'node:fs';
import { secondMs } from '../../../../lib/core/time.ts';
import { type Check, missing, well } from '../../doctor/check.ts';
import type { Apache } from './apache.ts';
import { apacheFile } from './apache-file.ts';
import { readOurs } from './install.ts';
import { counts, readLease } from './lease.ts';
import { type ClusterMode, seatFile } from './settings.ts';

const mend = 'run muster-agent uyuni cluster-mode install again';

/** What an examination needs; `limit` gives a signal that aborts after so many ms. */
export type Examining = { readonly apache: Apache; readonly now: number; limit(ms: number): AbortSignal };

/** What of cluster mode is missing on this server or other than it was installed, and how it stands. */
export async function examine(mode: ClusterMode | undefined, { apache, now, limit }: Examining): Promise<readonly Check[]> {
  if (!mode) return [missing('cluster mode', 'it is not installed', 'run muster-agent uyuni cluster-mode install')];
  const fault = await apache.configtest();
  return [
    fileCheck(mode),
    fault === undefined ? well('apache', 'its configuration is sound') : missing('apache', fault, 'mend what it names'),
    await siteCheck(mode, limit),
    counts(readLease(mode), now)
      ? well('login', `the login page leads to ${mode.clusterUi}`)
      : missing(
          'login',
          'the login page is the server’s own: Muster has not answered the agent for 10 minutes',
          'look at the log of the agent',
        ),
    lockCheck(mode),
  ];
}

function fileCheck(mode: ClusterMode): Check {
  const text = readOurs(mode.apacheFile);
  if (text === undefined) return missing('file', `there is no ${mode.apacheFile}`, mend);
  return text === apacheFile(mode)
    ? well('file', mode.apacheFile)
    : missing('file', `${mode.apacheFile} is other than this version writes it`, mend);
}

async function siteCheck({ port }: ClusterMode, limit: Examining['limit']): Promise<Check> {
  const at = `127.0.0.1:${port}`;
  try {
    const { status } = await fetch(`http://${at}/muster/page.css`, { signal: limit(5 * secondMs) });
    return status === 200
      ? well('agent', `it listens on ${at}`)
      : missing('agent', `another program listens on ${at}`, 'name another by --port');
  } catch {
    return missing('agent', `nothing listens on ${at}`, 'start the agent of this host');
  }
}

const lockCheck = (mode: ClusterMode): Check => {
  if (!mode.locksContent) return well('content', 'common content is not locked: --lock-content was not given');
  return well('content', existsSync(seatFile(mode)) ? 'common content is open for editing here' : 'common content is locked here');
};
