import type { ApiClient } from '../../../../lib/api/client.ts';
import { problemTypeOf } from '../../../../lib/api/problem.ts';
import { contentNodeRoutes, type ContentOutcome as Outcome } from '../../../../lib/content/revisions/node-routes.ts';
import { printable } from '../../../../lib/core/printable.ts';
import { secondMs } from '../../../../lib/core/time.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import { nameOfBlob } from '../../../../lib/uyuni/content/blob.ts';
import { type Content, treeOf } from '../../../../lib/uyuni/content/content.ts';
import { Damaged, type PackedManifest, packed, unpacked, unpackedManifest } from '../../../../lib/uyuni/content/packed.ts';
import { everySoOften } from '../../every-so-often.ts';
import type { AgentView } from '../../view.ts';
import { ReadRefused } from '../metadata/kinds.ts';
import type { Copied } from './copy.ts';
import type { ContentOrder, ContentWanted } from './wanted.ts';

/** How soon the agent notices an order, and goes on with one that it could not finish, in ms. */
const everyMs = 5 * secondMs;
/** How many documents that failed are named to Muster, and how much of each. */
const [namedMax, whyMax] = [5, 300];

/** The common content of the server on this host. Both verbs throw where the server does not answer. */
export type ContentServer = {
  read(): Promise<Content>;
  have(content: Content, options: { readonly remove: boolean }): Promise<Copied>;
};

/** What carries out orders about common content; without `server` this host refuses them, and says why. */
export type FollowOptions = {
  readonly wanted: ContentWanted;
  readonly server: (() => Promise<ContentServer>) | { readonly why: string };
  readonly world: Pick<World, 'after'>;
  say(line: string): void;
};

/** Carries out orders about common content beside the agent, until it is stopped; also those that a crash cut short. */
export function followContent(options: FollowOptions, agent: AgentView): { stop(): void } {
  const follower = new ContentFollower(options, agent);
  return everySoOften(everyMs, () => follower.pass(), options.world);
}

type Member = NonNullable<ReturnType<AgentView['member']>>;

/** The blobs that were read, and those that were stored, for an order. */
type OfOrder = { readonly order: string; readonly read: Map<string, Uint8Array>; readonly stored: Set<string> };

/** Carries out one order after another. */
export class ContentFollower {
  readonly #options: FollowOptions;
  readonly #agent: AgentView;
  /** The last trouble, so that the log has it once. */
  #trouble = '';
  /** What was read and stored for an order: it goes on there when Muster lets no more calls through for a while. */
  #blobs: OfOrder = { order: '', read: new Map(), stored: new Set() };

  constructor(options: FollowOptions, agent: AgentView) {
    this.#options = options;
    this.#agent = agent;
  }

  /** Carries out the order that is open, if there is one. Trouble is logged, and the order is tried again. */
  async pass(): Promise<void> {
    const { wanted, say } = this.#options;
    const order = wanted.order();
    const member = this.#agent.member();
    if (!order || !member) return;
    try {
      if (this.#blobs.order !== order.order) this.#blobs = { order: order.order, read: new Map(), stored: new Set() };
      const because = await this.#carryOut(order, new Line(this.#agent.api, member, this.#blobs));
      if (because !== undefined) say(`common content: ${because}`);
      this.#trouble = '';
    } catch (error) {
      // A fault of ours must not end the agent, which renews the lease of the node.
      const why = printable(error instanceof Error ? error.message : String(error));
      if (why !== this.#trouble) say(`${wordsOf(order)} is not possible now: ${why}; trying again`);
      this.#trouble = why;
    }
  }

  async #carryOut(order: ContentOrder, line: Line): Promise<string | undefined> {
    const { server, wanted, say } = this.#options;
    if (typeof server === 'object') return this.#report(order, line, { is: 'failed', why: [server.why] });
    say(`${wordsOf(order)} begins`);
    const here = await server();
    const doing = order.does === 'export' ? exported(order, line, here) : applied(order, line, here);
    const outcome = await doing.catch(failedFor);
    // Another order came meanwhile: this one counts no more.
    if (wanted.order()?.order !== order.order) return undefined;
    return this.#report(order, line, outcome);
  }

  async #report(order: ContentOrder, line: Line, outcome: Outcome): Promise<string> {
    const because = await line.report(order.order, outcome);
    this.#options.wanted.done(order.order);
    this.#blobs = { order: '', read: new Map(), stored: new Set() };
    return because;
  }
}

/** What no other attempt would change is an outcome. Throws anything else. */
function failedFor(error: unknown): Outcome {
  const isFinal = error instanceof Damaged || error instanceof RangeError || error instanceof ReadRefused;
  if (!isFinal) throw error;
  return { is: 'failed', why: [printable(error.message).slice(0, whyMax)] };
}

const wordsOf = ({ does, revision }: ContentOrder): string =>
  does === 'export' ? `reading the common content as revision ${revision}` : `having revision ${revision} of the common content`;

/** Reads what the server has, and stores what the store lacks of it. */
async function exported({ manifest: before }: ContentOrder, line: Line, server: ContentServer): Promise<Outcome> {
  const known = before.length > 0 ? await manifestBefore(before, line) : undefined;
  const { manifest, names, blobs } = packed(await server.read(), known);
  for (const [name, bytes] of blobs) await line.store(name, bytes);
  return { is: 'exported', root: manifest.root, entries: manifest.entries, manifest: [...names] };
}

/** The manifest of the revision before; undefined where it cannot be read: everything is stored anew. */
async function manifestBefore(names: readonly string[], line: Line): Promise<PackedManifest | undefined> {
  try {
    return await unpackedManifest(names, line.blob);
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
}

/** Has the server be as the revision says. */
async function applied(
  { manifest, removes }: Extract<ContentOrder, { does: 'apply' }>,
  line: Line,
  server: ContentServer,
): Promise<Outcome> {
  const wanted = await unpacked(await unpackedManifest(manifest, line.blob), line.blob);
  const { counts: ofKinds, failures, differences, cutShort, now } = await server.have(wanted, { remove: removes ?? false });
  if (cutShort) throw cutShort;
  const extra = differences.filter(({ is }) => is === 'extra').length;
  const counts = { made: 0, changed: 0, removed: 0, alike: 0, extra };
  for (const of of ofKinds.values()) for (const name of ['made', 'changed', 'removed', 'alike'] as const) counts[name] += of[name];
  const lacks = differences.filter(({ is, kind, key }) => is !== 'extra' && !failures.some((one) => one.kind === kind && one.key === key));
  const why = [
    ...failures.map(({ kind, key, why: because }) => `${kind} ${key}: ${because}`),
    ...lacks.map(({ kind, key, is }) => `${kind} ${key} is ${is === 'missing' ? 'missing' : 'another'}`),
  ];
  if (why.length > 0) return { is: 'failed', counts, why: why.slice(0, namedMax).map((one) => printable(one).slice(0, whyMax)) };
  return { is: 'applied', counts, root: treeOf(now).root };
}

/** Calls to Muster about common content. All throw Unreachable, and an Error where Muster refuses. */
class Line {
  readonly #api: ApiClient;
  readonly #member: Member;
  readonly #blobs: OfOrder;

  constructor(api: ApiClient, member: Member, blobs: OfOrder) {
    this.#api = api;
    this.#member = member;
    this.#blobs = blobs;
  }

  /** A blob of the store. Throws {@link Damaged} for one that is not there. */
  blob = async (blob: string): Promise<Uint8Array> => {
    const known = this.#blobs.read.get(blob);
    if (known) return known;
    const answer = await this.#api(contentNodeRoutes.readContentBlob, { params: { id: this.#member.node, blob } });
    if (answer.ok) {
      const bytes = new Uint8Array(Buffer.from(answer.body.bytes, 'base64'));
      if (nameOfBlob(bytes) !== blob) throw new Damaged(`blob ${blob} has other bytes`);
      this.#blobs.read.set(blob, bytes);
      return bytes;
    }
    if (answer.status === 404) throw new Damaged(`Muster has no blob ${blob}`);
    throw refusal(answer.problem);
  };

  async store(blob: string, bytes: Uint8Array): Promise<void> {
    if (this.#blobs.stored.has(blob)) return;
    const body = { bytes: Buffer.from(bytes).toString('base64') };
    const answer = await this.#api(contentNodeRoutes.storeContentBlob, { params: { id: this.#member.node, blob }, body });
    if (!answer.ok) throw refusal(answer.problem);
    this.#blobs.stored.add(blob);
  }

  /** Reports what became of an order; gives what Muster says to it. */
  async report(order: string, outcome: Outcome): Promise<string> {
    const { node: id, incarnation } = this.#member;
    const answer = await this.#api(contentNodeRoutes.reportContent, { params: { id }, body: { incarnation, order, outcome } });
    if (!answer.ok) throw refusal(answer.problem);
    return answer.body.because;
  }
}

const refusal = (problem: Parameters<typeof problemTypeOf>[0] & { readonly detail: string }): Error =>
  new Error(`Muster refuses it (${problemTypeOf(problem)}): ${problem.detail}`);
