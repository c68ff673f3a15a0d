import type { Invariant } from '../invariant.ts';
import { nodeSteps, told } from '../rows.ts';
import { vouchedIn } from '../vouched.ts';

const upOf = /^\/nodes\/([^/]+)\/up$/;

/** What a node that was given up still has belongs to nobody's present. */
export const flushed: Invariant = {
  name: 'who-was-dropped-returns-flushed',
  says: 'a dropped node comes back only after its agent, or who vouches for it, has said that it gave up the content of exactly that generation',
  begin: ({ violated }) => {
    const said = new Set<string>();
    return {
      asked: ({ path, sent }) => {
        const node = upOf.exec(path)?.[1];
        const generation = node && (sent as { flushed?: number } | undefined)?.flushed;
        if (generation !== undefined) said.add(`${node} ${generation}`);
      },
      sent: ({ body }) => {
        const vouched = vouchedIn(body);
        if (vouched?.data?.flushed !== undefined) said.add(`${vouched.node} ${vouched.data.flushed}`);
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const { id, before, after } = step;
          if (before?.status === 'dropped' && after?.status !== 'dropped' && !said.has(`${id} ${before.generation}`))
            violated(`${told(step)}: its agent never said that it flushed generation ${before.generation}`);
        }
      },
    };
  },
};
