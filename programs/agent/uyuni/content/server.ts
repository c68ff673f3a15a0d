import type { ServerApi } from '../api/server-api.ts';
import { Copy, contentOf, understood } from './copy.ts';
import type { ContentServer } from './follow.ts';

/** The common content of a server, by its API. */
export const contentServer = (server: ServerApi): ContentServer => ({
  read: () => contentOf(server),
  have: (content, { remove }) => new Copy(server, understood(content), { remove, said: () => {} }).run(),
});
