import type { SystemHere } from '../../salt/here.ts';
import type { ServerApi } from '../api/server-api.ts';
import { type ActionEntry, type Document, digestOf } from './documents.ts';
import { actionsOf, entriesIn, entriesMax, historyKind, lackingIn, reportIdOf } from './history.ts';
import { askOf, documentKinds } from './kinds.ts';
import type { Agreed, AgreedMemory } from './memory.ts';
import type { Held, MusterSide, Taken } from './muster-side.ts';
import type { Registered } from './registrations.ts';

/** A system of this server that is a client system of this node. */
export type Reporting = SystemHere & Registered;
/** The server to read, Muster, what both agreed on, and the name of this node. */
export type ReportOptions = {
  readonly server: ServerApi;
  readonly muster: MusterSide;
  readonly memory: AgreedMemory;
  readonly node: string;
};
/**
 * What has become of a report. `later`: something waits, such as for metadata to be applied here first. `revision`: the
 * one that it has made of the one that was applied here, where nobody else has changed anything.
 */
export type Reported = {
  readonly is: 'done' | 'later' | 'apply-again';
  readonly refused: readonly string[];
  readonly revision?: number | undefined;
};

/**
 * What may be done about a document that differs from the one that was agreed on. It is reported only in place of the
 * one that was applied or reported here: a system that has just come has the documents of a new registration, which
 * must not replace those that it had.
 */
export function judge(
  document: { readonly digest: string; readonly isEmpty: boolean },
  held: { readonly digest: string | undefined; readonly revision: number } | undefined,
  { agreed, isNew, appliedAt }: { readonly agreed: string | undefined; readonly isNew: boolean; readonly appliedAt: number | undefined },
): 'report' | 'same' | 'wait' {
  if (!held) return document.isEmpty ? 'same' : 'report';
  if (held.digest === document.digest) return 'same';
  if (agreed !== undefined) return held.digest === agreed ? 'report' : 'wait';
  // What was agreed on is not remembered; it was this revision if that was applied here.
  return !isNew && held.digest !== undefined && appliedAt !== undefined && held.revision <= appliedAt ? 'report' : 'wait';
}

/**
 * Reports the documents of a system that have changed here, and the actions that have ended. Throws what keeps it from
 * the server or from Muster.
 */
export async function reportSystem(system: Reporting, options: ReportOptions): Promise<Reported> {
  const { fp, sid, registration } = system;
  const { server, muster, memory, node } = options;
  const ask = askOf(server);
  const known = memory.of(fp);
  const digests = known?.registration === registration ? known.digests : {};
  const changed: [string, Document][] = [];
  for (const [name, kind] of documentKinds) {
    const document = await kind.read(ask, sid);
    if (digests[name] !== digestOf(document)) changed.push([name, document]);
  }
  const actions = await actionsOf(ask, sid, node);
  const hasActed = actions.length > 0 && digests[historyKind] !== digestOf(actions);
  if (changed.length === 0 && !hasActed) return { is: 'done', refused: [] };
  const held = await muster.read(fp);
  if (!held) return { is: 'later', refused: [] };
  const report = new Report(system, options, held, known);
  for (const [name, document] of changed) await report.document(name, document);
  if (hasActed) await report.actions(actions);
  return report.outcome();
}

/** One report of a system, over what Muster held when it began. */
class Report {
  readonly #system: Reporting;
  readonly #options: ReportOptions;
  readonly #held: Held;
  readonly #agreed: Readonly<Record<string, string>>;
  /** It is another registration than the one that was agreed on. */
  readonly #isNew: boolean;
  readonly #refused: string[] = [];
  readonly #agreements = new Map<string, string>();
  #waits = false;
  #isLate = false;
  /** The revision of Muster as far as this report alone has changed it. */
  #revision: number | undefined;

  constructor(system: Reporting, options: ReportOptions, held: Held, known: Agreed | undefined) {
    this.#system = system;
    this.#options = options;
    this.#held = held;
    this.#isNew = known !== undefined && known.registration !== system.registration;
    this.#agreed = known && !this.#isNew ? known.digests : {};
    this.#revision = held.revision;
  }

  async document(name: string, document: Document): Promise<void> {
    const { fp, appliedAt } = this.#system;
    const kind = documentKinds.get(name);
    const stored = this.#held.kinds[name];
    const normal = stored && kind?.normal(stored.document);
    const digest = digestOf(document);
    const verdict = judge(
      { digest, isEmpty: kind?.isEmpty(document) ?? false },
      stored && { digest: normal && digestOf(normal), revision: stored.revision },
      { agreed: this.#agreed[name], isNew: this.#isNew, appliedAt },
    );
    if (verdict === 'wait') this.#waits = true;
    else if (verdict === 'same') this.#agreements.set(name, digest);
    else if (this.#took(name, await this.#options.muster.put(fp, name, document))) this.#agreements.set(name, digest);
  }

  /** What has ended is added to the history even while documents wait: that replaces nothing. */
  async actions(actions: readonly ActionEntry[]): Promise<void> {
    const lacking = lackingIn(entriesIn(this.#held.kinds[historyKind]?.document), actions);
    for (let from = 0; from < lacking.length; from += entriesMax) {
      const entries = lacking.slice(from, from + entriesMax);
      const report = { id: reportIdOf(entries), entries };
      if (!this.#took(historyKind, await this.#options.muster.append(this.#system.fp, historyKind, report))) return;
    }
    this.#agreements.set(historyKind, digestOf(actions));
  }

  /** A new registration for which documents wait has nothing agreed on until they are applied. */
  outcome(): Reported {
    const refused = this.#refused;
    if (this.#waits && this.#isNew) return { is: 'apply-again', refused };
    const { fp, registration, appliedAt } = this.#system;
    this.#options.memory.agree(fp, registration, Object.fromEntries(this.#agreements));
    const isNext = this.#held.revision === appliedAt && this.#revision !== appliedAt;
    return { is: this.#waits || this.#isLate ? 'later' : 'done', refused, revision: isNext ? this.#revision : undefined };
  }

  #took(name: string, taken: Taken): boolean {
    switch (taken.is) {
      case 'taken':
        // Another number says that somebody else has changed something, which is yet to be applied.
        this.#revision = this.#revision !== undefined && taken.revision === this.#revision + 1 ? taken.revision : undefined;
        return true;
      case 'later':
        this.#isLate = true;
        return false;
      case 'refused':
        this.#refused.push(`${name}: ${taken.why}`);
        return false;
    }
  }
}
