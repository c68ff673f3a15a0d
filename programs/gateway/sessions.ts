import { createHash } from 'node:crypto';
import { hourMs, secondMs } from '../../lib/core/time.ts';
import type { Fault } from '../../lib/uyuni/xml-rpc/value.ts';

/**
 * What a person has at a node: a session there, by the key that the node gave; the node's own refusal of the login; or
 * nothing, with the reason.
 */
export type AtNode =
  | { readonly is: 'in'; readonly key: string }
  | { readonly is: 'refused'; readonly fault: Fault }
  | { readonly is: 'out'; readonly why: string };

/** What a person has at a node as somebody else, by whose login. */
export type AttachedAt = { readonly login: string; readonly at: AtNode };

/**
 * A session of the gateway: whose it is, and what the person has at each node. `attached`: where calls that name their
 * node go on as somebody else, whose password was given for that node.
 */
export type GatewaySession = {
  readonly id: string;
  readonly login: string;
  readonly nodes: ReadonlyMap<string, AtNode>;
  readonly attached: ReadonlyMap<string, AttachedAt>;
};

/**
 * Where sessions are stored; each is known by its key alone. This one is the memory of a program; a table can take its
 * place, with the keys of nodes encrypted.
 */
export type SessionStore = {
  /** Begins a session and gives its key; undefined when no more fit. */
  begin(login: string, nodes: ReadonlyMap<string, AtNode>, lifetimeMs: number): Promise<string | undefined>;
  /** The session of a key, whose life begins anew; undefined for none, and for one that has ended. */
  find(key: string): Promise<GatewaySession | undefined>;
  /** The session that a person has at a node by this key has ended there. */
  lost(id: string, node: string, key: string): Promise<void>;
  /**
   * Calls that name this node go on by this from now on; undefined: by what the person has there. Gives what no call
   * goes on by any more: what it was before, or this, if the session has ended.
   */
  attach(id: string, node: string, attached: AttachedAt | undefined): Promise<AttachedAt | undefined>;
  end(key: string): Promise<GatewaySession | undefined>;
};

/** The form of a session key, as every server has it: programs look for it in their first argument. */
export const isSessionKey = (text: string): boolean => /^[1-9][0-9]*x[a-f0-9]{64}$/.test(text);

/** How long a session lives after its last call, as on a server. */
export const lifetimeMs = hourMs;
/** The longest life that may be asked for at sign-in, and the shortest. */
export const lifetimes = { minMs: secondMs, maxMs: 24 * hourMs };

/** The most sessions at once, of all people and of one: scripts sign in and never sign out. */
export type SessionLimits = { readonly all: number; readonly ofOne: number };
export const sessionLimits: SessionLimits = { all: 20_000, ofOne: 200 };

type Row = GatewaySession & {
  readonly nodes: Map<string, AtNode>;
  readonly attached: Map<string, AttachedAt>;
  readonly lifetimeMs: number;
  until: number;
};

const gone: AtNode = { is: 'out', why: 'the session there has ended' };
const isBy = (at: AtNode | undefined, key: string): boolean => at?.is === 'in' && at.key === key;

/** Keys are compared by their hash: nothing in memory lets anybody call but what a caller sends. */
const idOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** Gives so many random bytes that nobody can guess. */
export type RandomBytes = (count: number) => Buffer;

const newKey = (random: RandomBytes): string => `${random(4).readUInt32BE() || 1}x${random(32).toString('hex')}`;

/** Sessions in memory, which end with the program. One person's oldest gives way to the newest. */
export function sessionsInMemory(now: () => number, random: RandomBytes, limits: SessionLimits = sessionLimits): SessionStore {
  // In the order of their last call: the first has rested longest.
  const rows = new Map<string, Row>();
  const isOver = ({ until }: Row): boolean => until <= now();
  const dropOver = (): void => {
    for (const row of rows.values()) if (isOver(row)) rows.delete(row.id);
  };
  return {
    async begin(login, nodes, lifetimeMs) {
      const own = [...rows.values()].filter((row) => row.login === login);
      const [oldest] = own;
      if (oldest && own.length >= limits.ofOne) rows.delete(oldest.id);
      if (rows.size >= limits.all) dropOver();
      if (rows.size >= limits.all) return undefined;
      const key = newKey(random);
      rows.set(idOf(key), { id: idOf(key), login, attached: new Map(), nodes: new Map(nodes), lifetimeMs, until: now() + lifetimeMs });
      return key;
    },
    async find(key) {
      const row = rows.get(idOf(key));
      if (!row) return undefined;
      rows.delete(row.id);
      if (isOver(row)) return undefined;
      row.until = now() + row.lifetimeMs;
      rows.set(row.id, row);
      return row;
    },
    async lost(id, node, key) {
      const row = rows.get(id);
      const attached = row?.attached.get(node);
      if (isBy(row?.nodes.get(node), key)) row?.nodes.set(node, gone);
      if (attached && isBy(attached.at, key)) row?.attached.set(node, { ...attached, at: gone });
    },
    async attach(id, node, attached) {
      const row = rows.get(id);
      if (!row) return attached;
      const before = row.attached.get(node);
      if (attached) row.attached.set(node, attached);
      else row.attached.delete(node);
      return before;
    },
    async end(key) {
      const row = rows.get(idOf(key));
      rows.delete(idOf(key));
      return row && !isOver(row) ? row : undefined;
    },
  };
}
