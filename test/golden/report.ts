import type { Report } from '../../events/catalogue.ts';
import type { RowRef } from '../../lib/decision.ts';
import { stepsOf } from '../../lib/dispatch.ts';
import type { Attributes } from '../../lib/table/attributes.ts';
import { parseAttributes, printAttributes } from '../../lib/table/json.ts';
import { type EpochMs, plusMs } from '../../lib/units.ts';

/** The rows that a report meets, and when it is decided upon. */
export type Start = { readonly now: EpochMs; readonly rows: readonly { readonly ref: RowRef; readonly state?: unknown }[] };

/** What is decided upon a row, but for the words that say why. */
export type Decided = { readonly ref: RowRef; readonly decision: object };

/** The start for an example, a second after its door received it: every row that it concerns, with the state that is given for its noun. */
export const startOf = (report: Report, given: Readonly<Record<string, unknown>>): Start => ({
  now: plusMs(report.receivedAt, 1_000),
  rows: stepsOf(report).map(({ ref }) => ({ ref, ...(given[ref.noun] !== undefined && { state: given[ref.noun] }) })),
});

/** What is decided upon each row of the start, exactly: what it becomes, its events, and when to look again. */
export const decidedOn = (report: Report, { now, rows }: Start): Decided[] =>
  rows.map(({ ref, state }) => {
    const step = stepsOf(report).find((one) => one.ref.noun === ref.noun && one.ref.id === ref.id);
    if (!step) return { ref, decision: { does: 'no longer concern it' } };
    const { because: _words, ...decision } = step.decide(state, now);
    return { ref, decision };
  });

/** A start or what was decided as it is frozen; bytes are in base64. */
export const printed = (value: Start | { readonly because?: string; readonly decided: readonly Decided[] }): string =>
  `${JSON.stringify(JSON.parse(printAttributes(value as unknown as Attributes)), undefined, 2)}\n`;

/** What {@link printed} made a text of. */
export const read = <T extends Parameters<typeof printed>[0]>(text: string): T =>
  parseAttributes(JSON.stringify(JSON.parse(text))) as unknown as T;
