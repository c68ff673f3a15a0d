import type * as z from 'zod';
import type { Answered, ApiClient, Sent } from '../../lib/api/client.ts';
import type { Route } from '../../lib/api/route.ts';
import { contract } from '../../lib/contract.ts';
import type { NodeId } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import type { AgentEvent } from '../../lib/nodes/routes.ts';

/** A report that the door took (202): it is never sent again, so that whoever loses it loses it for good. */
export type Taken = {
  readonly type: AgentEvent['type'] | 'node.leaving';
  readonly node: NodeId;
  readonly incarnation: number;
  readonly askedAt: number;
  /** Of a release: the map version whose orders are carried out. */
  readonly mapVersion?: number;
};

/**
 * What drivers were answered, and nothing that they only asked for. Moments are ms of this machine's clock, which the
 * host shares.
 */
export type Acknowledged = {
  /** Answers by kind, for the report. */
  readonly counts: Record<string, number>;
  readonly joined: Map<NodeId, string>;
  /** The highest incarnation a node was told, and every time that it was told a lower one afterwards. */
  readonly incarnations: Map<NodeId, number>;
  readonly fellBack: string[];
  readonly beats: Map<NodeId, { readonly incarnation: number; readonly seq: number; readonly askedAt: number }>;
  readonly taken: Map<string, Taken>;
  readonly knocked: Set<string>;
  readonly accepted: Set<string>;
  /** The names of the nodes that a client system was told. */
  readonly told: Map<string, Set<string>>;
  /** The node whose confirmation was last answered with "onboarded", and when that was asked. */
  readonly onboarded: Map<string, { readonly node: string; readonly askedAt: number }>;
  /** How often it was taken off its node. */
  readonly unregistered: Map<string, number>;
  /** The number in the tag that was last set; numbers only rise. */
  readonly tagged: Map<string, number>;
};

/** Nobody was answered anything yet. */
export const nothingAcknowledged = (): Acknowledged => ({
  counts: {},
  joined: new Map(),
  incarnations: new Map(),
  fellBack: [],
  beats: new Map(),
  taken: new Map(),
  knocked: new Set(),
  accepted: new Set(),
  told: new Map(),
  onboarded: new Map(),
  unregistered: new Map(),
  tagged: new Map(),
});

type Success<T extends Route> = Extract<Answered<T>, { ok: true }>;
type Note = (ack: Acknowledged, sent: Sent<Route>, answer: Success<Route>, askedAt: number) => void;

/** The same client, which notes what it was answered. Refusals and calls without an answer acknowledge nothing. */
export const noting =
  (api: ApiClient, ack: Acknowledged): ApiClient =>
  async (route, sent) => {
    const askedAt = Date.now();
    const answer = await api(route, sent);
    if (answer.ok) notes.get(route)?.(ack, (sent ?? {}) as Sent<Route>, answer as unknown as Success<Route>, askedAt);
    return answer;
  };

/** What a call sent, where its route has it. */
type Asked<T> =
  T extends Route<infer P, infer Q, infer B, infer _R>
    ? { readonly params: z.input<P>; readonly query: z.input<Q>; readonly body: z.input<B> }
    : never;

const on = <T extends Route>(
  route: T,
  note: (ack: Acknowledged, asked: Asked<T>, answer: Success<T>, askedAt: number) => void,
): [Route, Note] => [route, note as unknown as Note];

const count = ({ counts }: Acknowledged, kind: string): void => {
  counts[kind] = (counts[kind] ?? 0) + 1;
};

const notes = new Map<Route, Note>([
  on(contract.join, (ack, { body }, answer) => {
    count(ack, 'join');
    if ('node' in answer.body) ack.joined.set(answer.body.node, body.fqdn);
  }),
  on(contract.up, (ack, { params }, { body }) => {
    count(ack, body.acknowledged ? 'up, acknowledged' : 'up, taken');
    if (body.acknowledged) noteIncarnation(ack, params.id as NodeId, body.incarnation);
  }),
  on(contract.heartbeat, (ack, { params, body }, _answer, askedAt) => {
    count(ack, 'heartbeat');
    ack.beats.set(params.id as NodeId, { incarnation: body.incarnation, seq: body.seq, askedAt });
  }),
  on(contract.events, (ack, { params, body }, _answer, askedAt) => {
    const node = params.id as NodeId;
    for (const { id, type, incarnation, data } of body) {
      count(ack, type);
      ack.taken.set(id, { type, node, incarnation, askedAt, ...('mapVersion' in data && { mapVersion: data.mapVersion }) });
    }
  }),
  on(contract.leaving, (ack, { params, body }, _answer, askedAt) => {
    count(ack, `node.leaving, ${body.mode}`);
    ack.taken.set(body.id, { type: 'node.leaving', node: params.id as NodeId, incarnation: body.incarnation, askedAt });
  }),
  on(contract.knock, (ack, { body }, answer, askedAt) => {
    const fp = fingerprintOf(body.publicKey);
    count(ack, 'knock');
    ack.knocked.add(fp);
    if (body.confirmed === undefined || answer.body !== '1') return;
    count(ack, 'confirmed');
    ack.onboarded.set(fp, { node: body.confirmed, askedAt });
  }),
  on(contract.orphan, (ack, { query }, { body }) => {
    if (body === undefined) return;
    count(ack, 'told');
    ack.told.set(query.fp, (ack.told.get(query.fp) ?? new Set()).add(body));
  }),
  on(contract.accept, (ack, _sent, { body }) => {
    for (const { fp, done } of body.results) {
      if (!done) continue;
      count(ack, 'accept');
      ack.accepted.add(fp);
    }
  }),
  on(contract.unregister, (ack, _sent, { body }) => {
    for (const { fp, done } of body.results) {
      if (!done) continue;
      count(ack, 'unregister');
      ack.unregistered.set(fp, (ack.unregistered.get(fp) ?? 0) + 1);
    }
  }),
  on(contract.editSystem, (ack, { params, body }) => {
    count(ack, 'tag');
    ack.tagged.set(params.fp, tagNumber(body.tags ?? []));
  }),
]);

function noteIncarnation({ incarnations, fellBack }: Acknowledged, node: NodeId, incarnation: number): void {
  const before = incarnations.get(node) ?? 0;
  if (incarnation < before) fellBack.push(`${node} was told incarnation ${incarnation} after ${before}`);
  incarnations.set(node, Math.max(before, incarnation));
}

/** The tag by which the operator numbers its edits of one client system. */
export const tagOf = (n: number): string => `edit-${n}`;
/** The number in such a tag; 0 when there is none. */
export const tagNumber = (tags: readonly string[]): number => Number(/^edit-(\d+)$/.exec(tags[0] ?? '')?.[1] ?? 0);
