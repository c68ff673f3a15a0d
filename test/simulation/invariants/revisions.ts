import { revisionOf, type ZoneContent } from '../../../lib/content/revisions/revision.ts';
import { isSameJson } from '../../../lib/core/json.ts';
import type { Desired } from '../../../lib/nodes/desired/desired.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { type Content, treeOf } from '../../../lib/uyuni/content/content.ts';
import type { Had } from '../world/common-content.ts';
import type { Invariant } from './invariant.ts';
import { nodeSteps } from './rows.ts';

const bodyOf = <T>(row: Row | undefined, sk: string): T | undefined => (row?.key.sk === sk && !row.gone ? (row.body as T) : undefined);
const nameIn = ({ key }: Row): string => decodeURIComponent(key.pk.split('#')[1]!);

/** Whether some content has every document of another one as it is. */
const has = (content: Content, other: Content): boolean =>
  [...other].every(([kind, documents]) => [...documents].every(([key, document]) => isSameJson(content.get(kind)?.get(key), document)));

/** What is wrong with what the revisions of a zone have become. */
function wrongIn(was: ZoneContent | undefined, is: ZoneContent): string | undefined {
  if (is.last < (was?.last ?? 0)) return `goes back from revision ${was?.last} to ${is.last}`;
  if (is.revisions.length > 0 && revisionOf(is)?.revision !== is.last) return `has revision ${is.last} last, and not among its revisions`;
  const other = was?.revisions.find((one) => is.revisions.some((now) => now.revision === one.revision && !isSameJson(now, one)));
  return other && `has another revision ${other.revision} than before`;
}

/** What servers are to have in common is what one of them had, and each that says so has it. */
export const revisions: Invariant = {
  name: 'a-server-has-the-revision-that-it-says',
  says: 'the number of the last revision of common content only grows, and a revision stays as it is; it is what its server had when nobody could edit it; a server that says that it has a revision had every document of it, and no others where those are removed; in the end nothing is still being read, and every server that is up has the last revision, unless that was stopped',
  begin: ({ violated, world }) => {
    let contents = new Map<string, ZoneContent>();
    const names = new Map<string, string>();
    /** What revisions had, by the roots of their trees. */
    const known = new Map<string, Content>();
    const hadBy = (fqdn: string): Had | undefined => world().hosts.find((host) => host.fqdn === fqdn)?.content?.had;
    /** Two machines with one key say what either of them has. */
    const isCopied = (): boolean => world().hosts.some(({ wasCloned }) => wasCloned);
    const take = (zone: string, is: ZoneContent): void => {
      const was = contents.get(zone);
      const wrong = wrongIn(was, is);
      if (wrong !== undefined) violated(`the content of zone ${zone} ${wrong}`);
      contents.set(zone, is);
      const revision = revisionOf(is);
      if (!revision || revision.of !== undefined || revision.revision === was?.last || isCopied()) return;
      const had = hadBy(revision.fqdn);
      if (had?.root === revision.root) known.set(revision.root, had.content);
      else violated(`revision ${revision.revision} of zone ${zone} is not what ${revision.fqdn} had`);
      const now = world()
        .hosts.find((host) => host.fqdn === revision.fqdn)
        ?.content?.now();
      if (now && treeOf(now).root !== revision.root)
        violated(`revision ${revision.revision} was edited on ${revision.fqdn} while it was read`);
    };
    const said = (before: Desired | undefined, after: Desired | undefined, node: string): void => {
      const content = after?.content;
      if (content?.done?.is !== 'applied' || !content.done.counts || before?.content?.done || isCopied()) return;
      const revision = [...contents.values()]
        .flatMap((one) => one.revisions)
        .find(({ manifest }) => isSameJson(manifest, content.manifest));
      const fqdn = names.get(node);
      const [wanted, had] = [revision && known.get(revision.root), fqdn && hadBy(fqdn)];
      if (!wanted || !had) return;
      const isWhole = content.removes ? had.root === revision?.root : has(had.content, wanted);
      if (!isWhole) violated(`${fqdn} says that it has revision ${content.revision}, and lacks some of it, or has more`);
    };
    return {
      committed: (changes) => {
        for (const { id, after } of nodeSteps(changes)) if (after) names.set(id, after.fqdn);
        for (const { before, after } of changes) {
          const content = bodyOf<ZoneContent>(after, 'content');
          if (content) take(nameIn(after), content);
          else if (after.key.sk === 'content') contents.delete(nameIn(after));
          if (after.key.sk === 'desired') said(bodyOf<Desired>(before, 'desired'), bodyOf<Desired>(after, 'desired'), nameIn(after));
        }
      },
      restored: () => {
        contents = new Map();
      },
      unrest: () =>
        [...contents].flatMap(([zone, { exporting, spreading, last }]) => {
          if (exporting) return [`the content of ${exporting.fqdn} is still being read as revision ${last + 1} of zone ${zone}`];
          return spreading && spreading.stopped === undefined ? [`revision ${last} of zone ${zone} is still on its way`] : [];
        }),
    };
  },
};
