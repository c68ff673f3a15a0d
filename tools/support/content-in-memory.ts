import { isSameJson } from '../../lib/core/json.ts';
import type { Content } from '../../lib/uyuni/content/content.ts';
import type { ContentDocument } from '../../lib/uyuni/content/document.ts';
import type { Difference } from '../../programs/agent/uyuni/content/copy.ts';
import type { ContentServer } from '../../programs/agent/uyuni/content/follow.ts';

type Documents = Map<string, ContentDocument>;

/** The common content of a server, in memory: of one kind, groups. */
export class ContentInMemory implements ContentServer {
  readonly groups: Documents = new Map();
  /** The keys of documents that it refuses, and why. */
  readonly refuses = new Map<string, string>();
  /** How many documents it takes before it goes away once; any number by default. */
  takes = Number.POSITIVE_INFINITY;

  read = async (): Promise<Content> => new Map([['group', new Map(this.groups)]]);

  have: ContentServer['have'] = async (content, { remove }) => {
    const wanted = content.get('group') ?? new Map<string, ContentDocument>();
    const counts = { made: 0, changed: 0, removed: 0, alike: 0 };
    const failures: { kind: string; key: string; why: string }[] = [];
    for (const [key, document] of wanted) {
      const before = this.groups.get(key);
      const why = this.refuses.get(key);
      if (isSameJson(before, document)) counts.alike++;
      else if (why !== undefined) failures.push({ kind: 'group', key, why });
      else {
        if (this.takes-- <= 0) throw new Error('the server went away');
        this.groups.set(key, document);
        counts[before ? 'changed' : 'made']++;
      }
    }
    for (const key of [...this.groups.keys()])
      if (remove && !wanted.has(key)) {
        this.groups.delete(key);
        counts.removed++;
      }
    const extra = [...this.groups.keys()].filter((key) => !wanted.has(key));
    const differences = extra.map((key): Difference => ({ kind: 'group', key, is: 'extra', fields: [] }));
    return { counts: new Map([['group', counts]]), failures, differences, now: await this.read() };
  };
}
