import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type EpochMs, minuteMs } from '../../../../lib/core/time.ts';
import { type ServerApi, ServerDown, serverApi } from '../../../../programs/agent/uyuni/api/server-api.ts';

const account = { address: 'http://127.0.0.1/', login: 'muster', password: 'a secret' };
const answered = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init);
const session = (n = 1) => answered({ success: true }, { headers: { 'set-cookie': `pxt-session-cookie=${n}x0; Path=/; Max-Age=3600` } });

/** An API of a server that gives these answers, one after another, with what was called and logged. */
function anApi(...answers: (Response | Error)[]): { api: ServerApi; called: string[]; lines: string[]; later(): void } {
  const [called, lines]: [string[], string[]] = [[], []];
  let now = 0;
  const api = serverApi({
    account: () => ({ ok: true, account }),
    fetching: async (input, init) => {
      const cookie = new Headers(init?.headers).get('cookie');
      called.push([init?.method, input, init?.body ?? '', cookie ?? ''].join(' ').trim());
      const answer = answers.shift() ?? new Error('there is no other answer');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    limit: () => new AbortController().signal,
    world: { now: () => now as EpochMs },
    say: (line) => void lines.push(line),
  });
  return {
    api,
    called,
    lines,
    later: () => {
      now += minuteMs;
    },
  };
}

describe('the API of a Uyuni server', () => {
  const list = z.array(z.number());

  it('is called by one session, with the values of a call by their names', async () => {
    const { api, called } = anApi(session(), answered({ success: true, result: [1] }), answered({ success: true, result: 1 }));
    expect(await api.reads('system.listNotes', { sid: 7, text: 'a&b' }, list)).toEqual({ ok: true, value: [1] });
    expect(await api.writes('system.addNote', { sid: 7 })).toEqual({ ok: true, value: 1 });
    expect(called).toEqual([
      'POST http://127.0.0.1/rhn/manager/api/auth/login {"login":"muster","password":"a secret"}',
      'GET http://127.0.0.1/rhn/manager/api/system/listNotes?sid=7&text=%22a%26b%22  pxt-session-cookie=1x0',
      'POST http://127.0.0.1/rhn/manager/api/system/addNote {"sid":7} pxt-session-cookie=1x0',
    ]);
  });

  it('begins another session when the present one is refused, once', async () => {
    const expired = () => answered({ success: false, message: 'no session' }, { status: 401 });
    const ok = answered({ success: true, result: [] });
    const { api, called } = anApi(
      session(1),
      answered({ success: true, result: [] }),
      expired(),
      session(2),
      ok,
      expired(),
      session(3),
      expired(),
    );
    for (let n = 0; n < 2; n++) expect(await api.reads('a.b', {}, list)).toEqual({ ok: true, value: [] });
    expect(called.at(-1)).toContain('2x0');
    expect(await api.reads('a.b', {}, list)).toEqual({ ok: false, why: 'no session' });
  });

  it('gives what a method refuses as a value, and an answer of another form too', async () => {
    const { api, lines } = anApi(
      session(),
      answered({ success: false, message: 'No such system\u001b[2J' }),
      answered({ success: true, result: 'x' }),
      answered({ success: false, message: 7 }),
      new Response('<html>', { status: 400 }),
    );
    expect(await api.reads('a.b', {}, list)).toEqual({ ok: false, why: 'No such system\\u{1b}[2J' });
    expect(await api.reads('a.b', {}, list)).toEqual({ ok: false, why: 'a.b answered in another form than expected' });
    expect(await api.writes('a.b', {})).toEqual({ ok: false, why: 'it gives no reason' });
    expect(await api.writes('a.b', {})).toEqual({ ok: false, why: 'a.b was refused (status 400)' });
    expect(lines).toEqual([]);
  });

  it.each([
    ['answers with a page', new Response('<html>', { status: 200 }), 'status 200, and no answer of the API'],
    ['leads elsewhere', new Response('', { status: 302 }), 'status 302'],
    ['answers without an end', new Response('x'.repeat(17 * 2 ** 20)), 'the answer has more than 16777216 bytes'],
    ['is not there', new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }), 'ECONNREFUSED'],
  ])('is down where the server %s: that is logged once, and no call is made for a while', async (_name, answer, why) => {
    const { api, called, lines, later } = anApi(session(), answer, session(), answered({ success: true, result: [] }));
    for (let n = 0; n < 3; n++) await expect(api.reads('a.b', {}, list)).rejects.toThrow(ServerDown);
    expect([called.length, lines.length]).toEqual([2, 1]);
    expect(lines[0]).toContain(why);
    later();
    expect(await api.reads('a.b', {}, list)).toEqual({ ok: true, value: [] });
    expect(lines[1]).toBe('the API of the Uyuni server at http://127.0.0.1/ answers again');
    expect(lines.join()).not.toContain('secret');
  });
});
