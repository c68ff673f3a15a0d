import type { DatabaseSync } from 'node:sqlite';
import { listeners } from '../../core/listeners.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import type { GroupCommit } from '../sqlite/group.ts';
import { refuseUnsendable } from './limits.ts';
import type { ConsumableQueue, DeadLetterOrigin, Message, QueueName, SendOptions } from './queue.ts';
import type { WatchedQueue } from './watched.ts';

/**
 * The queues in a state file: a message is as durable as a row, and becomes visible by the given clock. A message that
 * was received but not acknowledged when the file was last closed is visible at once: its consumer held the file's
 * lock, and is gone.
 */
export function sqliteQueue(db: DatabaseSync, group: GroupCommit, now: () => EpochMs): WatchedQueue {
  db.exec('UPDATE messages SET visibleAt = sentAt WHERE receives > 0');
  const { watch, tell } = listeners<[QueueName]>();
  return { watch, ...sending(db, group, now, tell), ...consuming(db, group, now, tell), ...depths(db) };
}

type Tell = (queue: QueueName) => void;

function sending(db: DatabaseSync, group: GroupCommit, now: () => EpochMs, tell: Tell): Pick<ConsumableQueue, 'send' | 'sendFromBus'> {
  const insert = db.prepare('INSERT INTO messages (queue, body, via, sentAt, visibleAt, receives, letter) VALUES (?, ?, ?, ?, ?, 0, ?)');
  const keep = async (queue: QueueName, body: string, via: Message['via'], { delayMs = 0, letter }: SendOptions = {}): Promise<void> => {
    refuseUnsendable(queue, body, delayMs);
    const sentAt = now();
    const printed = letter ? JSON.stringify(letter) : null;
    await group.run(() => void insert.run(queue, body, via, sentAt, plusMs(sentAt, delayMs), printed));
    if (delayMs === 0) tell(queue);
  };
  return {
    send: (queue, body, options) => keep(queue, body, 'door', options),
    sendFromBus: (queue, body) => keep(queue, body, 'bus'),
  };
}

type Consuming = Pick<ConsumableQueue, 'receive' | 'acknowledge' | 'release'>;

function consuming(db: DatabaseSync, group: GroupCommit, now: () => EpochMs, tell: Tell): Consuming {
  const visible = db.prepare(
    'SELECT id, body, via, sentAt, receives + 1 AS receives, letter FROM messages WHERE queue = ? AND visibleAt <= ? ORDER BY id LIMIT ?',
  );
  const hide = db.prepare('UPDATE messages SET visibleAt = ?, receives = receives + 1 WHERE id = ?');
  const done = db.prepare('DELETE FROM messages WHERE id = ? AND queue = ?');
  const show = db.prepare('UPDATE messages SET visibleAt = ? WHERE id = ? AND queue = ?');
  const take = (queue: QueueName, limit: number, visibilityMs: number): Message[] =>
    visible.all(queue, now(), limit).map((row) => {
      hide.run(plusMs(now(), visibilityMs), row['id']!);
      const { letter, ...message } = { ...row, id: String(row['id']) } as Omit<Message, 'letter'> & { letter: string | null };
      return { ...message, ...(letter !== null && { letter: JSON.parse(letter) as DeadLetterOrigin }) };
    });
  return {
    // Checks before it queues for a transaction: a host calls this far more often than there is a message.
    receive: async (queue, limit, visibilityMs) =>
      visible.get(queue, now(), 1) === undefined ? [] : group.run(() => take(queue, limit, visibilityMs)),
    acknowledge: (queue, ids) =>
      group.run(() => {
        for (const id of ids) done.run(Number(id), queue);
      }),
    release: async (queue, ids, delayMs) => {
      const visibleAt = plusMs(now(), delayMs);
      await group.run(() => {
        for (const id of ids) show.run(visibleAt, Number(id), queue);
      });
      if (delayMs === 0 && ids.length > 0) tell(queue);
    },
  };
}

function depths(db: DatabaseSync): Pick<ConsumableQueue, 'depth'> {
  const depth = db.prepare('SELECT count(*) AS messages, min(sentAt) AS oldestSentAt FROM messages WHERE queue = ?');
  return {
    depth: async (queue) => {
      const { messages, oldestSentAt } = depth.get(queue) as { messages: number; oldestSentAt: EpochMs | null };
      return { messages, ...(oldestSentAt !== null && { oldestSentAt }) };
    },
  };
}
