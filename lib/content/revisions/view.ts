import type { ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ServerContent } from './nodes.ts';
import type { Revision, ZoneContent } from './revision.ts';
import type { ContentView, RevisionView, ServerView } from './routes.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** The content of a zone for people and programs, and why it is as it is. */
export function contentView(
  zone: ZoneName,
  content: ZoneContent | undefined,
  servers: readonly ServerContent[],
  because: string,
): ContentView {
  const { last = 0, revisions = [], exporting, spreading } = content ?? {};
  return {
    zone,
    revision: last,
    revisions: revisions.toReversed().map(revisionView),
    ...(exporting && {
      reading: {
        node: exporting.node,
        fqdn: exporting.fqdn,
        from: iso(exporting.from),
        until: iso(exporting.until),
        by: exporting.by,
        because: exporting.because,
      },
    }),
    ...(spreading && { spreading: { ...spreading, since: iso(spreading.since) } }),
    servers: servers.map(serverView),
    because,
  };
}

const revisionView = ({ manifest: _blobs, at, removes, ...rest }: Revision): RevisionView => ({
  ...rest,
  at: iso(at),
  removes: removes ?? false,
});

function serverView({ node, fqdn, is, revision, at, done, why }: ServerContent): ServerView {
  return {
    node,
    fqdn,
    is,
    ...(revision !== undefined && { revision }),
    ...(at !== undefined && { at: iso(at) }),
    ...(done?.counts && { counts: done.counts }),
    why: done?.why ?? (why === undefined ? [] : [why]),
  };
}
