import { expect } from 'vitest';
import type { DeadLetterView } from '../../../lib/dead-letters/routes.ts';
import { putAside, type Undeliverable } from '../../../lib/runtime/dead.ts';
import type { World } from '../../../tools/support/stepped.ts';

/** A page of the list of dead letters. */
export type Page = { items: DeadLetterView[]; next?: string };
/** What an order to dead letters came to. */
export type Ordered = { results: { id: string; done: boolean; because: string }[]; next?: string };

/** The ids on a page, in order. */
export const idsOf = ({ items }: Page): string[] => items.map(({ id }) => id).sort();

/** A call whose parameters or body are none. */
export const refusal = { headers: expect.anything(), status: 422, body: expect.objectContaining({ type: 'urn:muster:problem:invalid' }) };

/** Makes dead letters in the world of the moment, and does with them what operators do. */
export const lettersIn = (world: () => World) => ({
  /** Letters that died as if a consumer had put them aside; their ids. */
  aside: async (count: number, more: Partial<Undeliverable> = {}, code = 'wrong-shape'): Promise<string[]> => {
    const ids = Array.from({ length: count }, (_, n) => `${code}-${String(n).padStart(3, '0')}`);
    for (const id of ids) {
      const message = {
        id,
        queue: 'reports',
        via: 'door',
        body: '{"type":"node.sang"}',
        sentAt: world().now(),
        receives: 1,
        ...more,
      } as const;
      await putAside(world().environment('reports'), message, code, `${code}, says a test`);
    }
    return ids;
  },
  listed: async (query = ''): Promise<Page> => (await world().call('GET', `/api/v1/dead-letters?${query}`)).body as Page,
  order: async (verb: 'redrive' | 'drop', body: object, headers?: Record<string, string>) => {
    const reply = await world().call('POST', `/api/v1/dead-letters/${verb}`, body, headers);
    return { status: reply.status, ...(reply.body as Ordered) };
  },
});
