import * as z from 'zod';
import { inOrder, isSameJson } from '../../../../lib/core/json.ts';
import type { Content } from '../../../../lib/uyuni/content/content.ts';
import { type ContentDocument, differingFields } from '../../../../lib/uyuni/content/document.ts';
import { type ServerApi, ServerDown } from '../api/server-api.ts';
import { type Ask, askOf, ReadRefused } from '../metadata/kinds.ts';
import type { Step } from '../metadata/plans.ts';
import type { AnyContentKind, Here } from './kind.ts';
import { copiedKinds } from './kinds.ts';

/** An entry that a server does not have as it is wanted: it lacks it, has it otherwise, or has it beyond that. */
export type Difference = {
  readonly kind: string;
  readonly key: string;
  readonly is: 'missing' | 'other' | 'extra';
  readonly fields: readonly string[];
};
/** An entry that could not be made as it is wanted, and why, in words. */
export type Failure = { readonly kind: string; readonly key: string; readonly why: string };
type Counts = { made: number; changed: number; removed: number; alike: number };
/** What a copy did: how many entries of each kind were made, changed, removed and alike, and what could not be done. */
export type Copied = {
  readonly counts: ReadonlyMap<string, Readonly<Counts>>;
  readonly failures: readonly Failure[];
  readonly differences: readonly Difference[];
  /** What the server has of these kinds, as far as it was read. */
  readonly now: Content;
  /** What cut it short: the server went away, or does not tell what it has. */
  readonly cutShort?: ServerDown | ReadRefused;
};

type Has = ReadonlyMap<string, Here>;

/** Everything of every kind that is copied, as a server has it. Throws what the API throws, and {@link ReadRefused}. */
export async function contentOf(server: ServerApi, said: (kind: string, count: number) => void = () => {}): Promise<Content> {
  const content = new Map<string, ReadonlyMap<string, ContentDocument>>();
  for (const kind of copiedKinds) {
    const has = await kind.read(askOf(server));
    content.set(kind.kind, new Map([...has].map(([key, { document }]) => [key, document])));
    said(kind.kind, has.size);
  }
  return content;
}

/** Content in the normal form of this agent's kinds, and what of it is of a kind or a form that it does not know. */
export type Understood = { readonly content: Content; readonly failures: readonly Failure[] };

/** Content as this agent understands it: what a document leaves out has its usual value. */
export function understood(given: Content): Understood {
  const failures: Failure[] = [];
  const content = new Map<string, ReadonlyMap<string, ContentDocument>>();
  for (const [name, documents] of given) {
    const kind = copiedKinds.find((one) => one.kind === name);
    const normal = new Map<string, ContentDocument>();
    for (const [key, document] of documents) {
      const read = kind?.normal(document);
      if (read) normal.set(key, read);
      else failures.push({ kind: name, key, why: kind ? unknownForm : 'this agent does not know the kind' });
    }
    if (kind) content.set(name, normal);
  }
  return { content, failures };
}

const unknownForm = 'the document has another form than this agent knows';

/** What a server does not have as it is wanted, of the wanted kinds. What was not understood is no difference. */
export const differencesOf = ({ content, failures }: Understood, has: Content): Difference[] =>
  [...content]
    .flatMap(([kind, documents]) => ofKind(kind, documents, has.get(kind) ?? new Map()))
    .filter((one) => !failures.some(({ kind, key }) => kind === one.kind && key === one.key));

function ofKind(kind: string, wanted: ReadonlyMap<string, ContentDocument>, has: ReadonlyMap<string, ContentDocument>): Difference[] {
  const keys = [...new Set([...wanted.keys(), ...has.keys()])].sort(inOrder);
  return keys.flatMap((key): Difference[] => {
    const [want, have] = [wanted.get(key), has.get(key)];
    if (!want) return [{ kind, key, is: 'extra', fields: [] }];
    if (!have) return [{ kind, key, is: 'missing', fields: [] }];
    const fields = differingFields(want, have);
    return fields.length === 0 ? [] : [{ kind, key, is: 'other', fields }];
  });
}

/** How content is copied to a server: whether what it has beyond that is removed, and who hears of each kind. */
export type CopyOptions = { readonly remove: boolean; said(kind: string, counts: string): void };

/**
 * Has a server be as some content says. What is alike already is left alone, so that a copy that was interrupted goes
 * on where it was. A refusal of one entry keeps none of the others. What the server took before it went away stays.
 */
export class Copy {
  readonly #server: ServerApi;
  readonly #ask: Ask;
  readonly #given: Understood;
  readonly #wanted: Content;
  readonly #options: CopyOptions;
  readonly #has = new Map<string, Has>();
  readonly #failures: Failure[];
  readonly #counts = new Map<string, Counts>();

  constructor(server: ServerApi, given: Understood, options: CopyOptions) {
    this.#server = server;
    this.#ask = askOf(server);
    this.#given = given;
    this.#wanted = given.content;
    this.#failures = [...given.failures];
    this.#options = options;
  }

  async run(): Promise<Copied> {
    const cutShort = await this.#copy().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof ServerDown || error instanceof ReadRefused) return error;
        throw error;
      },
    );
    const has = new Map([...this.#has].map(([kind, known]) => [kind, documentsOf(known)]));
    const differences = cutShort ? [] : differencesOf(this.#given, has);
    return { counts: this.#counts, failures: this.#failures, differences, now: has, ...(cutShort && { cutShort }) };
  }

  async #copy(): Promise<void> {
    const kinds = copiedKinds.filter(({ kind }) => this.#wanted.has(kind));
    for (const kind of kinds) await this.#copyKind(kind, inOrderOfMaking(kind, this.#wanted.get(kind.kind) ?? new Map()));
    if (!this.#options.remove) return;
    for (const kind of kinds.toReversed()) await this.#removeOthers(kind);
  }

  async #copyKind(kind: AnyContentKind, wanted: ReadonlyMap<string, ContentDocument>): Promise<void> {
    let has = await this.#read(kind);
    const alike = [...wanted].filter(([key, document]) => isSameJson(has.get(key)?.document, document)).length;
    const counts = { made: 0, changed: 0, removed: 0, alike };
    this.#counts.set(kind.kind, counts);
    const missing = [...wanted].filter(([key]) => !has.has(key));
    for (const [key, document] of missing) if (await this.#carryOut(kind, key, kind.create(key, document))) counts.made++;
    if (missing.length > 0) has = await this.#read(kind);
    const isNew = new Set(missing.map(([key]) => key));
    const differing = [...wanted].filter(([key, document]) => has.has(key) && !isSameJson(has.get(key)!.document, document));
    for (const [key, document] of differing) {
      const { steps, cannot } = kind.change(key, has.get(key)!, document, (of, name) => this.#has.get(of)?.get(name)?.id);
      const isDone = await this.#carryOut(kind, key, steps);
      if (isDone && !isNew.has(key)) counts.changed++;
      for (const why of cannot) this.#failed(kind, key, why);
    }
    if (differing.length > 0) has = await this.#read(kind);
    this.#tellOfOthers(kind, wanted, has);
    this.#options.said(kind.kind, wordsOf(counts));
  }

  /** What the server took and then has otherwise, such as a text that it cuts, counts like what it refused. */
  #tellOfOthers(kind: AnyContentKind, wanted: ReadonlyMap<string, ContentDocument>, has: Has): void {
    for (const { key, is, fields } of ofKind(kind.kind, wanted, documentsOf(has))) {
      if (is === 'extra' || this.#failures.some((one) => one.kind === kind.kind && one.key === key)) continue;
      this.#failed(
        kind,
        key,
        is === 'missing' ? 'the server took it, and does not have it' : `the server took it, and has another ${fields.join(', ')}`,
      );
    }
  }

  async #removeOthers(kind: AnyContentKind): Promise<void> {
    const has: Has = this.#has.get(kind.kind) ?? new Map();
    // What a document describes that was not understood is no less wanted.
    const isOther = (key: string): boolean =>
      !this.#wanted.get(kind.kind)?.has(key) && !this.#given.failures.some((one) => one.kind === kind.kind && one.key === key);
    const others = [...has].filter(([key]) => isOther(key));
    if (others.length === 0) return;
    const order = [...inOrderOfMaking(kind, documentsOf(new Map(others))).keys()].toReversed();
    const counts = this.#counts.get(kind.kind)!;
    for (const key of order) if (await this.#carryOut(kind, key, kind.remove(key, has.get(key)!))) counts.removed++;
    await this.#read(kind);
    this.#options.said(kind.kind, `${counts.removed} removed`);
  }

  async #read(kind: AnyContentKind): Promise<Has> {
    const has = await kind.read(this.#ask);
    this.#has.set(kind.kind, has);
    return has;
  }

  /** Whether every call was carried out; the first that is refused ends the entry. */
  async #carryOut(kind: AnyContentKind, key: string, steps: readonly Step[]): Promise<boolean> {
    for (const { what, method, values } of steps) {
      const done = await this.#server.writes(method, values);
      const why = done.ok ? refusalIn(done.value) : done.why;
      if (why !== undefined) {
        this.#failed(kind, key, `the server refuses to ${what} (${why})`);
        return false;
      }
    }
    return true;
  }

  #failed({ kind }: AnyContentKind, key: string, why: string): void {
    this.#failures.push({ kind, key, why });
  }
}

/** Some methods answer with success, and that they changed nothing: each change of a schedule says so by its status. */
const Rescheduled = z.object({ status: z.literal(false), message: z.string().nullish() });
function refusalIn(answer: unknown): string | undefined {
  const all: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const refused = all.map((one) => Rescheduled.safeParse(one)).find(({ success }) => success)?.data;
  return refused && (refused.message || 'it gives no reason');
}

const documentsOf = (has: Has): Map<string, ContentDocument> => new Map([...has].map(([key, { document }]) => [key, document]));

/** In the order of keys, what others may need first. */
function inOrderOfMaking(kind: AnyContentKind, documents: ReadonlyMap<string, ContentDocument>): ReadonlyMap<string, ContentDocument> {
  const [first, others]: [[string, ContentDocument][], [string, ContentDocument][]] = [[], []];
  for (const one of [...documents].sort(([a], [b]) => inOrder(a, b))) (kind.isFirst(one[1]) ? first : others).push(one);
  return new Map([...first, ...others]);
}

const wordsOf = ({ made, changed, alike }: Counts): string => `${made} made, ${changed} changed, ${alike} alike`;
