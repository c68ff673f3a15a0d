import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from './connections.ts';
import { type PlainCall, plainCallAt } from './plain-call.ts';

/**
 * The whole text of the answer to a plain call, at once where it is at hand; undefined for calls that are for
 * node:http.
 */
export type PlainAnswer = (call: PlainCall, socket: Socket) => string | Promise<string> | undefined;

/**
 * What closes the connections on the lane when their server takes no more: whoever waits for an answer gets it, until
 * all are cut off.
 */
export type PlainLane = { readonly close: () => void; readonly cutOff: () => void };

/**
 * Has plain calls answered before node:http sees them: reading and writing by its objects takes most of the time of a
 * call that is answered from memory. A connection stays on this lane as long as nothing else comes; the first byte that
 * is no whole plain call hands it to node:http with all that is unanswered, for good. So no part of a call is kept
 * here, and whatever is not plain is judged in one place.
 */
export function plainLane(server: Server, opening: 'connection' | 'secureConnection', answer: PlainAnswer): PlainLane {
  // Whoever emits this event hands a connection to node:http (https://nodejs.org/api/http.html#event-connection).
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
 * How long a connection may be idle between calls, in ms: a second longer than callers are told, as node:http has it.
 */
const idleMs = limits.keepAliveTimeout + 1_000;

/** What node:http says to who connects and then says nothing. */
const tooSlow = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

type Around = { readonly answer: PlainAnswer; readonly leave: () => void; readonly handOver: () => void };

/** One connection on the lane: no call has come yet, its answer is being made, or the next call may come. */
class PlainConnection {
  readonly #socket: Socket;
  readonly #around: Around;
  #is: 'new' | 'waiting' | 'idle' = 'new';
  #isLast = false;

  constructor(socket: Socket, around: Around) {
    this.#socket = socket;
    this.#around = around;
    socket.setTimeout(limits.headersTimeout);
    for (const [event, listener] of this.#listeners) socket.on(event, listener);
  }

  readonly #listeners = Object.entries({
    data: (chunk: Buffer) => this.#read(chunk),
    end: () => this.#socket.end(),
    timeout: () => this.#tooLate(),
    // It closes then, and there is nobody to tell.
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
      // Whoever does not read its answers is for node:http to slow down.
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

  /** Reads no more until somebody resumes, and then from here. */
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
