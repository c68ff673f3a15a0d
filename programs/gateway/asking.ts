import { secondMs } from '../../lib/core/time.ts';
import type { Circuits } from '../../lib/uyuni/gateway/circuits.ts';
import type { GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import type { Typed } from '../../lib/uyuni/gateway/typed.ts';
import type { ClusterIdOf } from '../../lib/uyuni/merge/ids.ts';
import type { NodeAnswer, NodeEnd } from '../../lib/uyuni/merge/node-answer.ts';
import { AnswerRefused } from '../../lib/uyuni/merge/refusal.ts';
import type { Fault } from '../../lib/uyuni/xml-rpc/value.ts';
import { type Clock, NodeDeadline, pause } from './deadline.ts';
import { type CallNode, LockedOut, type Outgoing } from './node-calls.ts';
import type { Seats } from './seats.ts';
import type { AtNode, GatewaySession, SessionStore } from './sessions.ts';

/**
 * What asking nodes takes: connections, circuits, sessions, a clock, and how long nodes are usually waited for.
 * `seats`: where Muster elects the server on which common content is edited, its agent opens it a while later.
 */
export type Asking = {
  readonly call: CallNode;
  readonly circuits: Circuits;
  readonly sessions: SessionStore;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly seats?: Pick<Seats, 'isElected'>;
};

/**
 * What is asked: how a call goes out with these arguments and the key of a session at the node, by whom, and for how
 * long each node is waited for. `signal` aborts when the caller has gone.
 */
export type Question = {
  outgoing(params: readonly Typed[], key: string | undefined): Outgoing;
  readonly session: GatewaySession | undefined;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
};

/**
 * Why a node is not asked: the person has no session there, Muster says that it is down, or it has just failed several
 * times.
 */
export type Reason = 'sign-in' | 'down' | 'left-alone';
/** How a node ended; `notAsked`: it was not asked at all. `leftOutOf`: what was left out, if not systems. */
export type GatewayEnd = NodeEnd & { readonly notAsked?: Reason; readonly leftOutOf?: 'actions' };

/** A node is not asked; its message is that of the fault. */
class NotAsked extends Error {
  override readonly name = 'NotAsked';
}

/** Failures of a node itself. What else ends its answer tells nothing about whether it works. */
const tellings: ReadonlySet<string> = new Set(['deadline', 'lost', 'cut-off', 'malformed']);

/** How long a seat may be locked before that answer is passed on, in ms: some heartbeats of its agent. */
const opensWithinMs = 45 * secondMs;
/** How soon it is asked again, in ms. */
const lockedAgainMs = secondMs;

/** One call on its way to nodes. It makes their answers for the merge, and learns from how they ended. */
export class Round {
  readonly #asking: Asking;
  readonly #question: Question;
  readonly #notAsked = new Map<string, { readonly reason: Reason; readonly fault: Fault }>();
  readonly #deadlines: NodeDeadline[] = [];

  constructor(asking: Asking, question: Question) {
    this.#asking = asking;
    this.#question = question;
  }

  /** The answer of one node to these arguments. `isAll`: nodes that are known to be away are not waited for. */
  from(node: GatewayNode, params: readonly Typed[], clusterIdOf: ClusterIdOf | undefined, isAll = false): NodeAnswer {
    const deadline = this.#deadline();
    return {
      node: node.name,
      open: (signal) => this.#onceOpen(() => this.#open(node, params, signal, isAll), signal, deadline),
      ...(clusterIdOf && { clusterIdOf }),
      deadline,
    };
  }

  /**
   * The answer of the first node that gives one. Each but the last has half of the time that is left to begin, so that
   * a node that hangs leaves time for another.
   */
  fromFirst(nodes: readonly GatewayNode[], params: readonly Typed[], clusterIdOf: (node: string) => ClusterIdOf): NodeAnswer {
    let current = nodes[0]?.name ?? '';
    const until = this.#asking.clock.now() + this.#question.deadlineMs;
    const open = async (signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> => {
      for (const node of nodes.slice(0, -1)) {
        current = node.name;
        const begun = await this.#attempt(node, params, signal, (until - this.#asking.clock.now()) / 2);
        if (begun) return begun;
      }
      const last = nodes.at(-1);
      if (!last) throw new NotAsked('there is none');
      current = last.name;
      return this.#open(last, params, signal, false);
    };
    return {
      get node() {
        return current;
      },
      open,
      clusterIdOf: (kind, id) => clusterIdOf(current)(kind, id),
      deadline: this.#deadline(),
    };
  }

  /** The answer of a node that begins within a limit; undefined where none does, and another is to be asked. */
  async #attempt(
    node: GatewayNode,
    params: readonly Typed[],
    signal: AbortSignal,
    limitMs: number,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const late = new AbortController();
    const cancel = this.#asking.clock.after(limitMs, () => late.abort());
    try {
      return await this.#open(node, params, AbortSignal.any([signal, late.signal]), false);
    } catch (error) {
      if (signal.aborted || error instanceof AnswerRefused) throw error;
      if (!(error instanceof NotAsked)) this.#noteFailure(node.name, late.signal.aborted ? 'deadline' : 'lost');
      return undefined;
    } finally {
      cancel();
    }
  }

  #deadline(): NodeDeadline {
    const deadline = new NodeDeadline(this.#asking.clock, this.#question.deadlineMs);
    this.#deadlines.push(deadline);
    return deadline;
  }

  async #open(node: GatewayNode, params: readonly Typed[], signal: AbortSignal, isAll: boolean): Promise<AsyncIterable<Uint8Array>> {
    const refuse = (reason: Reason, fault: Fault): never => {
      this.#notAsked.set(node.name, { reason, fault });
      throw new NotAsked(fault.text);
    };
    const at = this.#question.session?.nodes.get(node.name);
    if (this.#question.session && at?.is !== 'in') refuse('sign-in', faultWithout(node.name, at));
    if (isAll && !node.isUp) refuse('down', faults.noAnswer(node.name, 'Muster says that it is down'));
    if (!this.#asking.circuits.mayCall(node.name))
      refuse('left-alone', faults.noAnswer(node.name, 'it has failed several times in a row, and is left alone for a while'));
    this.#notAsked.delete(node.name);
    const outgoing = this.#question.outgoing(params, at?.is === 'in' ? at.key : undefined);
    return this.#asking.call(node, outgoing, signal);
  }

  /**
   * The answer of a node, which is asked again while its agent has not heard yet that it is the seat. Who is in a hurry
   * gets the answer that it is locked in time.
   */
  async #onceOpen(
    ask: () => Promise<AsyncIterable<Uint8Array>>,
    signal: AbortSignal,
    deadline: NodeDeadline,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { clock, seats, deadlineMs } = this.#asking;
    const isHurried = this.#question.deadlineMs < deadlineMs;
    let leftMs = isHurried ? this.#question.deadlineMs / 2 : opensWithinMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof LockedOut)) throw error;
        leftMs -= lockedAgainMs;
        if (leftMs < 0 || !seats?.isElected) return error.answer();
        error.forget();
      }
      if (!isHurried) deadline.hold();
      await pause(clock, lockedAgainMs, signal);
      deadline.resume();
    }
  }

  /** What the ends of nodes tell about them; gives the ends with what is known beside. Call it once for each round. */
  async learn(ends: readonly GatewayEnd[]): Promise<readonly GatewayEnd[]> {
    for (const deadline of this.#deadlines) deadline.end();
    for (const end of ends) {
      if (this.#notAsked.has(end.node)) continue;
      if (end.ok || end.code === 'fault' || end.code === 'unknown-id') this.#asking.circuits.succeeded(end.node);
      else this.#noteFailure(end.node, end.code);
      if (!end.ok && end.fault) await this.#noteLost(end.node, end.fault);
    }
    return ends.map((end) => {
      const reason = this.#notAsked.get(end.node)?.reason;
      return reason === undefined ? end : { ...end, notAsked: reason };
    });
  }

  /** Callers that are in a hurry, or go away, must not have others find a node left alone. */
  #noteFailure(node: string, code: string): void {
    const { signal, deadlineMs } = this.#question;
    const isTelling = tellings.has(code) && !signal.aborted && (code !== 'deadline' || deadlineMs >= this.#asking.deadlineMs);
    if (isTelling) this.#asking.circuits.failed(node);
    else this.#asking.circuits.unsettled(node);
  }

  async #noteLost(node: string, fault: Fault): Promise<void> {
    const { session } = this.#question;
    const at = session?.nodes.get(node);
    if (session && at?.is === 'in' && /Could not find session/.test(fault.text)) await this.#asking.sessions.lost(session.id, node, at.key);
  }

  /** The fault that stands for nodes that all failed. */
  faultOf(ends: readonly NodeEnd[]): Fault {
    const own = ends.map((end) => this.#faultOfOne(end)).filter((fault) => fault !== undefined);
    return own[0] ?? faults.nobody('none answered');
  }

  #faultOfOne(end: NodeEnd): Fault | undefined {
    if (end.ok) return undefined;
    return this.#notAsked.get(end.node)?.fault ?? end.fault ?? faults.noAnswer(end.node, end.text);
  }

  /** Whether a node that failed may have carried out what it was asked: its answer is not there, and no refusal is. */
  mayHaveDone({ node, ok, ...end }: NodeEnd): boolean {
    return !ok && !this.#notAsked.has(node) && !('fault' in end);
  }

  /** The fault that names a node which failed, where a caller takes no part of an answer. */
  strictFault(end: NodeEnd): Fault {
    const fault = this.#faultOfOne(end) ?? faults.nobody(end.node);
    return { ...fault, text: fault.text.includes(end.node) ? fault.text : `${end.node}: ${fault.text}` };
  }
}

/** The fault for a person without a session at a node. */
export function faultWithout(node: string, at: AtNode | undefined): Fault {
  if (at?.is === 'refused') return { code: at.fault.code, text: `${node}: ${at.fault.text}`, http: { status: 401 } };
  return faults.signInAgain(node, at?.is === 'out' ? at.why : 'it was not there when this session began');
}
