import { type Bug, patch } from '../bug.ts';

const breaks = 'a-change-of-a-server-is-told-once';

/** Mistakes in how what changes on Uyuni servers is taken in. */
export const serverBugs: readonly Bug[] = [
  {
    name: 'a-report-that-comes-again-is-news',
    breaks,
    why: 'an agent sends a report once, and the next one when that was answered',
    foundIn: { world: 'servers-change', seed: 1 },
    patches: [
      patch('if (row?.source === source && seq <= row.seq) return nothing', 'if (row?.source === source && seq < row.seq) return nothing'),
    ],
  },
  {
    name: 'what-was-read-need-not-be-remembered',
    breaks,
    why: 'the rows are still there when the agent starts again, and make the same report',
    foundIn: { world: 'servers-change', seed: 1 },
    patches: [
      patch(
        'this.#remember({ seq: this.#memory.seq + 1, pending: batch, xid: String(last) });',
        'this.#remember({ seq: this.#memory.seq + 1, xid: String(last) });',
      ),
    ],
  },
  {
    name: 'rows-are-deleted-before-they-are-sent',
    breaks,
    why: 'a batch that was read is as good as reported',
    foundIn: { world: 'servers-change', seed: 1 },
    patches: [
      patch(
        '      if (!(await this.#report(batch))) return done;\n      await outbox.drop(batch.rows);',
        '      await outbox.drop(batch.rows);\n      this.#remember({ pending: undefined });\n      if (!(await this.#report(batch))) return done;',
      ),
    ],
  },
];
