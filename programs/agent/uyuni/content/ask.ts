import { methods } from '../../../../lib/uyuni/api/methods.ts';
import type { ServerApi } from '../api/server-api.ts';
import { type Ask, ReadRefused } from '../metadata/kinds.ts';

export type { Ask } from '../metadata/kinds.ts';

/**
 * Reads from a server by its API. Some methods only read, and yet are POST in its JSON interface: the table of methods
 * knows which.
 */
export const askOf =
  (server: ServerApi): Ask =>
  async (method, values, answer) => {
    const isGet = methods.get(method)?.some(({ reads }) => reads) ?? true;
    const answered = isGet ? await server.reads(method, values, answer) : await server.writes(method, values);
    if (!answered.ok) throw new ReadRefused(`${method}: ${answered.why}`);
    const read = answer.safeParse(answered.value);
    if (!read.success) throw new ReadRefused(`${method} answered in another form than expected`);
    return read.data;
  };
