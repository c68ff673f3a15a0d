import type { QueueWiring } from '../../infra/wiring.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import type { WatchedQueue } from '../../lib/ports/queue/watched.ts';
import type { QueueFunction } from '../../lib/runtime/function.ts';
import { noteHandled } from '../../lib/runtime/handled.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type Loop, loop } from './loop.ts';

/** Messages of one round: more than one Lambda batch, because here they share a wait for the disk. */
const roundMax = 100;
/** The delay in ms before a message that failed transiently is received again: short at first, then longer. */
const againAfterMs = (receives: number): number => Math.min(30_000, 250 * 2 ** receives);

/**
 * Consumes one queue with one function, as its event source would: hides the messages that it hands over, and releases
 * those that failed.
 */
export function consume(
  name: QueueName,
  { receivesMax }: QueueWiring,
  timeoutSeconds: number,
  fn: QueueFunction,
  shell: Shell,
  queue: WatchedQueue,
): Loop {
  const own: Shell = { ...shell, settings: { ...shell.settings, receivesMax } };
  const consuming = loop(async () => {
    const messages = await queue.receive(name, roundMax, 6 * timeoutSeconds * 1000);
    if (messages.length === 0) return false;
    const failed = new Set(await fn.handle(messages, own));
    noteHandled(shell, name, messages.length, failed.size);
    const done = messages.filter((message) => !failed.has(message.id)).map((message) => message.id);
    await Promise.all([
      queue.acknowledge(name, done),
      ...messages
        .filter((message) => failed.has(message.id))
        .map((message) => queue.release(name, [message.id], againAfterMs(message.receives))),
    ]);
    return true;
  }, shell);
  const unwatch = queue.watch((which) => {
    if (which === name) consuming.wake();
  });
  return {
    ...consuming,
    stop: async () => {
      unwatch();
      await consuming.stop();
    },
  };
}
