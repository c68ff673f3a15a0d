import { expect } from 'vitest';
import { methods as documented } from '../../lib/uyuni/api/methods.ts';
import { administrator } from '../../tools/support/uyuni/played-server.ts';

type Values = Readonly<Record<string, unknown>>;
type Answer = { readonly success: boolean; readonly result?: unknown; readonly message?: string };

/** Calls of a server by its JSON interface, as its administrator: what only reads by GET, as the documentation says. */
export async function jsonOf(url: string) {
  const at = `${url}/rhn/manager/api`;
  const login = await fetch(`${at}/auth/login`, { method: 'POST', body: JSON.stringify(administrator) });
  const headers = { cookie: login.headers.get('set-cookie')!.split(';')[0]! };
  async function call(method: string, values: Values): Promise<Answer> {
    const path = `${at}/${method.replaceAll('.', '/')}`;
    const isGet = documented.get(method)?.some(({ reads }) => reads) ?? false;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) for (const one of [value].flat()) query.append(name, String(one));
    const answer = isGet ? fetch(`${path}?${query}`, { headers }) : fetch(path, { method: 'POST', headers, body: JSON.stringify(values) });
    return (await (await answer).json()) as Answer;
  }
  return {
    /** What a call is answered with. Throws for one that is refused. */
    result: async (method: string, values: Values = {}): Promise<unknown> => {
      const { success, result, message } = await call(method, values);
      if (!success) throw new Error(`${method}: ${message}`);
      return result;
    },
    /** Why a call is refused, which it is expected to be. */
    refusal: async (method: string, values: Values): Promise<string> => {
      const { success, message = '' } = await call(method, values);
      expect([method, success]).toEqual([method, false]);
      return message;
    },
  };
}

type Calls = Awaited<ReturnType<typeof jsonOf>>;

/** Makes a channel of software by its label, with a key of GPG. */
export const makeChannel = ({ result }: Calls, label: string, parentLabel: string, more: object = {}): Promise<unknown> =>
  result('channel.software.create', {
    ...{ label, name: `The ${label}`, summary: label, archLabel: 'channel-x86_64', parentLabel, checksumType: 'sha512' },
    ...{ gpgKey: { url: 'https://mirror.acme.test/key', id: '1A2B3C4D', fingerprint: '00 11' }, ...more },
  });

/** The number of what was made. */
export const idIn = (answered: unknown): number => (answered as { id: number }).id;
