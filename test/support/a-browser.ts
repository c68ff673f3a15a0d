import { type RawAnswer, rawCall } from './raw-call.ts';

/** What a browser says of a call to a server, by the page that makes it (https://www.w3.org/TR/fetch-metadata/). */
export type Site = 'same-origin' | 'same-site' | 'cross-site' | 'none';
type Call = {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: Site;
};

/**
 * A browser as far as cookies go: it keeps those that one server sets, by name and path, and sends them with every call
 * whose page lets it, as SameSite has it. Loopback counts as one site, whatever the port.
 */
export class Browser {
  readonly jar = new Map<string, { readonly value: string; readonly attributes: string }>();
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** A call by our own page, unless another makes it. */
  async call(path: string, { method = 'GET', body, headers = {}, from = 'same-origin' }: Call = {}): Promise<RawAnswer> {
    const cookie = this.cookiesFor(path, from);
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await rawCall(this.url, {
      method,
      path,
      ...json,
      headers: {
        // A browser has no bearer token of its own.
        authorization: '',
        'sec-fetch-site': from,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
    });
    this.take(answer);
    return answer;
  }

  /** Follows redirects of a navigation until there is a page; the paths that it came by. */
  async open(address: string, from: Site = 'none'): Promise<{ readonly answer: RawAnswer; readonly at: string }> {
    let at = address;
    for (let steps = 0; steps < 10; steps++) {
      const { pathname, search } = new URL(at, this.url);
      const answer = await this.call(`${pathname}${search}`, { from, headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } });
      const location = answer.headers['location'];
      if (answer.status !== 302 || typeof location !== 'string') return { answer, at };
      at = new URL(location, new URL(at, this.url)).href;
      if (new URL(at).origin !== this.url) return { answer, at };
    }
    throw new Error(`${address} leads nowhere`);
  }

  /** The cookies of a call, as a header. */
  cookiesFor(path: string, from: Site): string {
    return [...this.jar]
      .filter(([key, { attributes }]) => {
        const at = key.slice(key.indexOf(' ') + 1);
        const isIn = path === at || path.startsWith(at.endsWith('/') ? at : `${at}/`) || path.startsWith(`${at}?`);
        return isIn && (from !== 'cross-site' || /samesite=lax/i.test(attributes));
      })
      .map(([key, { value }]) => `${key.slice(0, key.indexOf(' '))}=${value}`)
      .join('; ');
  }

  /** Stores what an answer sets, as one that came from this server. */
  take({ headers }: Pick<RawAnswer, 'headers'>): void {
    for (const set of (headers['set-cookie'] ?? []) as string[]) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(set) ?? [];
      const path = /; *path=([^;]+)/i.exec(attributes)?.[1] ?? '/';
      if (/max-age=0(;|$)/i.test(attributes)) this.jar.delete(`${name} ${path}`);
      else this.jar.set(`${name} ${path}`, { value, attributes });
    }
  }
}

/** The cookies that an answer sets, whole. */
export const cookiesSet = ({ headers }: Pick<RawAnswer, 'headers'>): readonly string[] => (headers['set-cookie'] ?? []) as string[];
