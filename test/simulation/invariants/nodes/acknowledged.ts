import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

/** The numbers that an agent reports under are those that its row has, or everything it says is lost. */
export const acknowledged: Invariant = {
  name: 'acknowledged-boots-are-committed',
  says: 'the incarnation and generation that an agent is told were committed for its boot, and no two boots have one incarnation',
  begin: ({ violated }) => {
    const committed = new Set<string>();
    const boots = new Map<string, string>();
    return {
      committed: (changes) => {
        for (const { id, after } of nodeSteps(changes)) {
          if (!after?.boot) continue;
          const { boot, incarnation, generation } = after;
          committed.add(`${id} ${boot.id} ${incarnation} ${generation}`);
          const known = boots.get(`${id} ${incarnation}`) ?? boot.id;
          if (known !== boot.id) violated(`incarnation ${incarnation} of ${id} was boot ${known} and is boot ${boot.id}`);
          boots.set(`${id} ${incarnation}`, boot.id);
        }
      },
      answered: ({ path, status, sent, body }) => {
        const [, id] = /^\/nodes\/([^/]+)\/up$/.exec(path) ?? [];
        if (!id || status !== 200) return;
        const { incarnation, generation } = JSON.parse(body) as { incarnation: number; generation: number };
        const { boot } = sent as { boot: { id: string } };
        if (!committed.has(`${id} ${boot.id} ${incarnation} ${generation}`)) violated(`boot ${boot.id} of ${id} was told ${body}`);
      },
    };
  },
};
