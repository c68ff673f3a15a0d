import type { Outbound, Posted, Posting } from '../../lib/ports/outbound/outbound.ts';
import { readTarget } from '../../lib/ports/outbound/target.ts';

/** Targets in memory: what was sent to them, and the answer of each by its URL; 200 by default. */
export type Targets = Outbound & { readonly sent: Posting[]; readonly answers: Map<string, () => Posted | Promise<Posted>> };

/** Records calls without sending them. */
export function targets(): Targets {
  const sent: Posting[] = [];
  const answers: Targets['answers'] = new Map();
  return {
    sent,
    answers,
    post: async (posting) => {
      sent.push(posting);
      return (await answers.get(posting.url)?.()) ?? { status: 200 };
    },
    refuses: async (url) => {
      const target = readTarget(url, { loopback: false });
      return typeof target === 'string' ? target : undefined;
    },
  };
}
