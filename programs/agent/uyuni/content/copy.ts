import { canonicalJson, inOrder } from '../../../../lib/core/json.ts';
import type { ContentDocument } from '../../../../lib/uyuni/content/document.ts';
import type { ServerApi } from '../api/server-api.ts';
import type { Step } from '../metadata/plans.ts';
import { type Ask, askOf } from './ask.ts';
import type { Content } from './folder.ts';
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
/** What a copy did: how many entries of each kind were made, changed, removed and alike, and what could not be done. */
export type Copied = {
  readonly counts: ReadonlyMap<
    string,
    { readonly made: number; readonly changed: number; readonly removed: number; readonly alike: number }
  >;
  readonly failures: readonly Failure[];
  readonly differences: readonly Difference[];
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

/** What two contents do not have alike, of the kinds of the wanted one. */
export const differencesOf = (wanted: Content, has: Content): Difference[] =>
  [...wanted].flatMap(([kind, documents]) => ofKind(kind, documents, has.get(kind) ?? new Map()));

function ofKind(kind: string, wanted: ReadonlyMap<string, ContentDocument>, has: ReadonlyMap<string, ContentDocument>): Difference[] {
  const keys = [...new Set([...wanted.keys(), ...has.keys()])].sort(inOrder);
  return keys.flatMap((key): Difference[] => {
    const [want, have] = [wanted.get(key), has.get(key)];
    if (!want) return [{ kind, key, is: 'extra', fields: [] }];
    if (!have) return [{ kind, key, is: 'missing', fields: [] }];
    const fields = [...new Set([...Object.keys(want), ...Object.keys(have)])].sort().filter((name) => !isSame(want[name], have[name]));
    return fields.length === 0 ? [] : [{ kind, key, is: 'other', fields }];
  });
}

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** How content is copied to a server: whether what it has beyond that is removed, and who hears of each kind. */
export type CopyOptions = { readonly remove: boolean; said(kind: string, counts: string): void };

/**
 * Has a server be as some content says. What is alike already is left alone, so that a copy that was interrupted goes
 * on where it was. A refusal of one entry keeps none of the others. Throws what the API throws when the server is down.
 */
export class Copy {
  readonly #server: ServerApi;
  readonly #ask: Ask;
  readonly #wanted: Content;
  readonly #options: CopyOptions;
  readonly #has = new Map<string, Has>();
  readonly #failures: Failure[];
  readonly #counts = new Map<string, { made: number; changed: number; removed: number; alike: number }>();

  constructor(server: ServerApi, { content: wanted, failures }: Understood, options: CopyOptions) {
    this.#server = server;
    this.#ask = askOf(server);
    this.#wanted = wanted;
    this.#failures = [...failures];
    this.#options = options;
  }

  async run(): Promise<Copied> {
    const kinds = copiedKinds.filter(({ kind }) => this.#wanted.has(kind));
    for (const kind of kinds) await this.#copyKind(kind, inOrderOfMaking(kind, this.#wanted.get(kind.kind)!));
    if (this.#options.remove) for (const kind of kinds.toReversed()) await this.#removeOthers(kind);
    const has = new Map([...this.#has].map(([kind, known]) => [kind, documentsOf(known)]));
    return { counts: this.#counts, failures: this.#failures, differences: differencesOf(this.#wanted, has) };
  }

  async #copyKind(kind: AnyContentKind, wanted: ReadonlyMap<string, ContentDocument>): Promise<void> {
    let has = await this.#read(kind);
    const alike = [...wanted].filter(([key, document]) => isSame(has.get(key)?.document, document)).length;
    const counts = { made: 0, changed: 0, removed: 0, alike };
    this.#counts.set(kind.kind, counts);
    const missing = [...wanted].filter(([key]) => !has.has(key));
    for (const [key, document] of missing) if (await this.#carryOut(kind, key, kind.create(key, document))) counts.made++;
    if (missing.length > 0) has = await this.#read(kind);
    const isNew = new Set(missing.map(([key]) => key));
    const differing = [...wanted].filter(([key, document]) => has.has(key) && !isSame(has.get(key)!.document, document));
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
    const wanted = this.#wanted.get(kind.kind)!;
    const has = this.#has.get(kind.kind)!;
    const others = [...has].filter(([key]) => !wanted.has(key));
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
      if (!done.ok) {
        this.#failed(kind, key, `the server refuses to ${what} (${done.why})`);
        return false;
      }
    }
    return true;
  }

  #failed({ kind }: AnyContentKind, key: string, why: string): void {
    this.#failures.push({ kind, key, why });
  }
}

const documentsOf = (has: Has): Map<string, ContentDocument> => new Map([...has].map(([key, { document }]) => [key, document]));

/** In the order of keys, what others may need first. */
const inOrderOfMaking = (kind: AnyContentKind, documents: ReadonlyMap<string, ContentDocument>): ReadonlyMap<string, ContentDocument> =>
  new Map([...documents].sort(([a, one], [b, other]) => Number(kind.isFirst(other)) - Number(kind.isFirst(one)) || inOrder(a, b)));

const wordsOf = ({ made, changed, alike }: { made: number; changed: number; alike: number }): string =>
  `${made} made, ${changed} changed, ${alike} alike`;
