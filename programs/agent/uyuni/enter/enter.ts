import { Unreachable } from '../../../../lib/api/client.ts';
import type { BodyOf, ReplyOf } from '../../../../lib/api/route.ts';
import { printable } from '../../../../lib/core/printable.ts';
import { type Bucket, type Rate, take } from '../../../../lib/core/rate.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { parseSecret } from '../../../../lib/identity/secret-text.ts';
import { uyuniNodeRoutes } from '../../../../lib/uyuni/node-routes.ts';
import type { AgentView } from '../../view.ts';
import { html, page } from '../site/html.ts';
import type { SiteAnswer, SiteRequest, SiteRoute } from '../site/route.ts';
import type { Minted, MintedSession } from './mint-session.ts';
import { type EnterRules, loginOf, type RulesFound } from './rules.ts';

/** Where a browser brings its ticket. */
export const enterPath = '/muster/enter';

/** How often tickets are shown to Muster; of what comes without one, only so much that the audit has it. */
const rates: Readonly<Record<'tickets' | 'others', Rate>> = {
  tickets: { perSecond: 2, burst: 20 },
  others: { perSecond: 0.1, burst: 5 },
};

/** What lets people in. `agent`: undefined while the host is no node. `rules` are read anew for each person. */
export type EntersWith = {
  /** The address of Muster, from whose page forms come. */
  readonly endpoint: string;
  agent(): AgentView | undefined;
  rules(): RulesFound;
  mint(login: string, rules: EnterRules): Promise<Minted>;
  now(): EpochMs;
  say(line: string): void;
};

/** The page at which people who are signed in to Muster enter the server of this host. */
export function enterRoutes(options: EntersWith): readonly SiteRoute[] {
  const door = new Door(options);
  return [
    { method: 'POST', path: enterPath, answer: (request) => door.enter(ticketIn(request), request.headers['origin']) },
    { method: 'GET', path: enterPath, answer: () => door.enter('', undefined) },
  ];
}

/** The ticket that a form has sent; empty without one. */
const ticketIn = ({ headers, body }: SiteRequest): string =>
  headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    ? (new URLSearchParams(body).get('ticket') ?? '').slice(0, 200)
    : '';

/** A ticket that Muster has taken. */
type Taken = ReplyOf<(typeof uyuniNodeRoutes)['presentTicket']>;
type Entry = BodyOf<(typeof uyuniNodeRoutes)['reportEntry']>['entry'];
type Member = AgentView & { readonly of: NonNullable<ReturnType<AgentView['member']>> };

class Door {
  readonly #options: EntersWith;
  readonly #buckets: Partial<Record<keyof typeof rates, Bucket>> = {};

  constructor(options: EntersWith) {
    this.#options = options;
  }

  /** Lets the person of a ticket in. The ticket is used up first, whatever becomes of it: it is never good again. */
  async enter(ticket: string, origin: string | undefined): Promise<SiteAnswer> {
    const kind = typeof parseSecret(ticket, 'met') === 'string' ? 'others' : 'tickets';
    if (!this.#takes(kind)) return kind === 'tickets' ? refusal(429, 'Too many come at once: try again in a while.') : noTicket;
    const agent = this.#options.agent();
    const of = agent?.member();
    if (!agent || !of) return refusal(503, 'This server is no node of Muster at the moment.');
    const member = { ...agent, of };
    const taken = await this.#present(member, ticket);
    if ('status' in taken) return taken;
    const made = await this.#session(taken, origin);
    await this.#report(member, taken, made.ok ? { login: made.login } : { why: printable(made.why).slice(0, 300) });
    return made.ok ? ledTo(taken.path, made) : refusal(403, `${made.why}.`);
  }

  #takes(kind: keyof typeof rates): boolean {
    const { bucket, waitMs } = take(this.#buckets[kind], rates[kind], this.#options.now());
    this.#buckets[kind] = bucket;
    return waitMs === 0;
  }

  /** The person of a ticket, which Muster has used up; or the page that says why it lets nobody in. */
  async #present({ api, of: { node: id, incarnation } }: Member, ticket: string): Promise<Taken | SiteAnswer> {
    try {
      const answer = await api(uyuniNodeRoutes.presentTicket, { params: { id }, body: { incarnation, ticket } });
      if (answer.ok) return answer.body;
      this.#options.say(`a browser was refused at ${enterPath}: ${printable(answer.problem.detail)}`);
      return answer.status === 409 && answer.problem.type.endsWith(':refused')
        ? refusal(403, `${answer.problem.detail}.`)
        : refusal(503, 'Muster does not take tickets of this server at the moment.');
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return refusal(503, 'Muster cannot be reached from this server.');
    }
  }

  /** A session for the person, as this host maps it. */
  async #session(person: Taken, origin: string | undefined): Promise<Minted> {
    const found = this.#options.rules();
    if (!found.ok) return { ok: false, why: found.why };
    const { rules } = found;
    if (!this.#isMuster(origin, rules)) return { ok: false, why: `the form came from ${origin}, which is not Muster` };
    const login = loginOf(rules, person);
    if (login === undefined) return { ok: false, why: `${person.name} (${person.who}) has no login on this server` };
    return this.#options.mint(login, rules);
  }

  /**
   * Whether the page that sent the form is Muster's. Another page could log a browser in under
   * the name of its own maker. Every browser names the origin of a form; a program may name none.
   */
  #isMuster(origin: string | undefined, { origins }: EnterRules): boolean {
    return origin === undefined || [new URL(this.#options.endpoint).origin, ...origins].includes(origin);
  }

  /** Muster's audit has what became of the ticket; where Muster cannot be reached, only the log of the agent does. */
  async #report({ api, of: { node: id, incarnation } }: Member, { ticket, who }: Taken, entry: Entry): Promise<void> {
    const { say } = this.#options;
    say(printable('login' in entry ? `${who} entered this server as ${entry.login}` : `${who} was not let in: ${entry.why}`));
    try {
      const answer = await api(uyuniNodeRoutes.reportEntry, { params: { id, ticket }, body: { incarnation, entry } });
      if (!answer.ok) say(`Muster does not record that: ${printable(answer.problem.detail)}`);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      say('Muster could not be told of that');
    }
  }
}

/** The cookie of a session, for the server. It is Lax, since this answer follows a form of another site. */
const ledTo = (location: string, { key, lifetimeS }: MintedSession): SiteAnswer => ({
  status: 303,
  headers: {
    location,
    'set-cookie': `pxt-session-cookie=${key}; Max-Age=${lifetimeS}; Path=/; Secure; HttpOnly; SameSite=Lax`,
    'cache-control': 'no-store',
  },
  body: '',
});

function refusal(status: number, why: string): SiteAnswer {
  const { headers, ...rest } = page(
    status,
    'You are not let in',
    html`<p>${printable(why)}</p>
<p>Open this server from the Cluster UI again.</p>`,
  );
  return { ...rest, headers: { ...headers, 'cache-control': 'no-store' } };
}

const noTicket = refusal(403, 'A browser came without a ticket.');
