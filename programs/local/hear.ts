import { webhooksNow } from '../../lib/webhooks/reads.ts';
import type { LocalShell } from './shell.ts';

/**
 * Hands every event of the bus to the queue of webhooks, as a rule of the bus does on AWS; none while there are no
 * webhooks. An event counts as published only once its message is as durable as a row, and is published again
 * otherwise, so that `kill -9` loses none.
 */
export const hear = ({ bus, shell, storage }: LocalShell): void =>
  void bus.subscribe(async (event) => {
    if ((await webhooksNow(shell)).some(({ disabled }) => !disabled)) await storage.queue.sendFromBus('webhooks', JSON.stringify(event));
  });
