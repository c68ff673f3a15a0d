import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from './connections.ts';
import { type PlainCall, plainCallAt } from './plain-call.ts';

/**
 * The whole text of the answer to a plain call, at once where it is at hand; undefined for calls that node:http must
 * answer.
 */
export type PlainAnswer = (call: PlainCall, socket: Socket) => string | Promise<string> | undefined;

/**
 * Closes the connections on the lane when their server takes no more. `close` lets answers under way be sent; `cutOff`
 * ends all connections.
 */
export type PlainLane = { readonly close: () => void; readonly cutOff: () => void };

/**
 * Has plain calls answered before node:http sees them: reading and writing by its objects takes most of the time of a
 * call that is answered from memory. A connection stays on this lane as long as only plain calls come. The first byte
 * that is not part of a whole plain call hands it to node:http for good, with everything unanswered. So the lane stores
 * no part of a call, and all that is not plain is judged in one place.
 */
export function plainLane(server: Server, opening: 'connection' | 'secureConnection', answer: PlainAnswer): PlainLane {
  // Emitting this event hands a connection to node:http (https://nodejs.org/api/http.html#event-connection).
  const usual = server.listeners(opening) as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners(opening);
  const open = new Set<PlainConnection>();
  server.on(opening, (socket: Socket) => {
    const leave = () => void open.delete(connection);
    const handOver = () => {
      for (const take of usual) take.call(server, socket);
    };
    const connection = new PlainConnection(socket, { answer, leave, handOver });
    open.add(connection);
  });
  return {
    close: () => {
      for (const connection of open) connection.close();
    },
    cutOff: () => {
      for (const connection of open) connection.cutOff();
    },
  };
}

/**
 * How long a connection may be idle between calls, in ms: a second longer than answers announce, as node:http has it.
 */
const idleMs = limits.keepAliveTimeout + 1_000;

/** The answer of node:http to a caller that connects and then sends nothing. */
const tooSlow = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

type Surroundings = { readonly answer: PlainAnswer; readonly leave: () => void; readonly handOver: () => void };

/** One connection on the lane: `new` before its first call, `waiting` while an answer is made, `idle` between calls. */
class PlainConnection {
  readonly #socket: Socket;
  readonly #around: Surroundings;
  #is: 'new' | 'waiting' | 'idle' = 'new';
  #isLast = false;

  constructor(socket: Socket, surroundings: Surroundings) {
    this.#socket = socket;
    this.#around = surroundings;
    socket.setTimeout(limits.headersTimeout);
    for (const [event, listener] of this.#listeners) socket.on(event, listener);
  }

  readonly #listeners = Object.entries({
    data: (chunk: Buffer) => this.#read(chunk),
    end: () => this.#socket.end(),
    timeout: () => this.#tooLate(),
    // The connection closes then, and nothing else is left to do.
    error: () => {},
    close: () => this.#around.leave(),
  });

  close(): void {
    if (this.#is === 'new') this.#handOver();
    else if (this.#is === 'waiting') this.#isLast = true;
    else this.#socket.destroySoon();
  }

  cutOff(): void {
    this.#socket.destroy();
  }

  #tooLate(): void {
    if (this.#is === 'new') this.#socket.write(tooSlow);
    this.#socket.destroySoon();
  }

  /** Answers the plain calls at the beginning of what has come. */
  #read(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    for (let at = 0; at < text.length; ) {
      const read = plainCallAt(text, at);
      const reply = read && this.#around.answer(read.call, this.#socket);
      if (reply === undefined) {
        this.#handOver(chunk.subarray(at));
        return;
      }
      at = read!.end;
      if (reply instanceof Promise) {
        this.#wait(reply, chunk.subarray(at));
        return;
      }
      this.#socket.write(reply);
      // A caller that does not read its answers is for node:http to slow down.
      if (this.#socket.writableNeedDrain) {
        this.#handOver(chunk.subarray(at));
        return;
      }
    }
    this.#idle();
  }

  #wait(reply: Promise<string>, rest: Buffer): void {
    this.#is = 'waiting';
    this.#socket.setTimeout(0);
    this.#keep(rest);
    void reply.then((text) => {
      this.#socket.write(text);
      this.#idle();
      if (this.#isLast) this.#socket.destroySoon();
      else this.#socket.resume();
    });
  }

  #idle(): void {
    if (this.#is === 'idle') return;
    this.#is = 'idle';
    this.#socket.setTimeout(idleMs);
  }

  /** Pauses reading; a resumed socket reads on from here. */
  #keep(rest: Buffer): void {
    this.#socket.pause();
    if (rest.length > 0) this.#socket.unshift(rest);
  }

  #handOver(rest: Buffer = Buffer.alloc(0)): void {
    this.#around.leave();
    this.#socket.setTimeout(0);
    for (const [event, listener] of this.#listeners) this.#socket.removeListener(event, listener);
    this.#keep(rest);
    this.#around.handOver();
    this.#socket.resume();
  }
}
