import { beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../lib/api/problem.ts';
import { route } from '../../../lib/api/route.ts';
import { Later } from '../../../lib/core/errors.ts';
import { dayMs, secondMs } from '../../../lib/core/time.ts';
import type { HttpRequest } from '../../../lib/runtime/function.ts';
import { idempotently } from '../../../lib/runtime/idempotency.ts';
import type { Reply } from '../../../lib/runtime/reply.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, committing, losingAnswers, type TestShell } from '../../../tools/support/a-shell.ts';

const accept = route({ method: 'POST', path: '/api/v1/systems/accept', summary: 'accept', scope: 'operate', statuses: [200], errors: [] });
const keyed = (more: Partial<HttpRequest> & { headers?: Record<string, string> } = {}): HttpRequest =>
  aRequest({
    method: 'POST',
    path: '/api/v1/systems/accept',
    body: '{"n":1}',
    ...more,
    headers: { 'idempotency-key': 'k1', ...more.headers },
  });

let shell: TestShell;
let calls: number;
beforeEach(() => {
  shell = aShell();
  calls = 0;
});
const handle = async (): Promise<Reply> => {
  calls += 1;
  return { status: 200, headers: { etag: `"${calls}"` }, body: `answer ${calls}` };
};
const call = (request: HttpRequest, does: () => Promise<Reply> = handle) => idempotently(shell, accept, request, does);
const first: Reply = { status: 200, headers: { etag: '"1"' }, body: 'answer 1' };
/** A shell whose table refuses so many commits as soon as the handler has done its work. */
function refusing(commits: number): { shell: Shell; handle: () => Promise<Reply> } {
  let left = 0;
  const commit: Shell['table']['commit'] = async (changes) => {
    if (left-- > 0) throw new Later('service.busy', 'commit: throttled');
    return shell.table.commit(changes);
  };
  return {
    shell: { ...shell, table: { ...shell.table, commit }, sleep: async () => undefined },
    handle: async () => {
      left = commits;
      return handle();
    },
  };
}
const refusalOf = async (call: Promise<Reply>): Promise<[string, string | undefined]> => {
  const refusal = await call.then(
    () => expect.unreachable('it was answered'),
    (error: unknown) => error as Refusal,
  );
  return [refusal.type, refusal.headers['retry-after']];
};

describe('an Idempotency-Key', () => {
  it.each([
    ['is empty', ''],
    ['has more than 200 characters', 'k'.repeat(201)],
  ])('that %s is refused, and nothing is done', async (_what, key) => {
    expect(await refusalOf(call(keyed({ headers: { 'idempotency-key': key } })))).toEqual(['invalid', undefined]);
    expect(calls).toBe(0);
  });
});

describe('the same call with the same Idempotency-Key', () => {
  it('is given the first answer, and does nothing again', async () => {
    expect(await call(keyed())).toEqual(first);
    shell.step(dayMs - 1);
    expect(await call(keyed())).toEqual(first);
    expect(calls).toBe(1);
  });

  it('is a new call after a day', async () => {
    await call(keyed());
    shell.step(dayMs);
    expect(await call(keyed())).toMatchObject({ body: 'answer 2' });
  });

  it('is refused while the first is being answered, and may come again', async () => {
    let meanwhile: [string, string | undefined] | undefined;
    const answered = await call(keyed(), async () => {
      meanwhile = await refusalOf(call(keyed()));
      return handle();
    });
    expect(meanwhile).toEqual(['in-progress', '1']);
    expect(answered).toEqual(first);
    expect(await call(keyed())).toEqual(first);
  });

  it('is made again when the first has died with its environment', async () => {
    const dying = call(keyed(), () => new Promise(() => {}));
    void dying;
    while (![...shell.table.rows.values()].some(({ key }) => key.sk === 'idempotency')) await Promise.resolve();

    shell.step(29 * secondMs);
    expect(await refusalOf(call(keyed()))).toEqual(['in-progress', '1']);
    shell.step(secondMs);
    expect(await call(keyed())).toEqual(first);
  });

  it('is made again at once when the first was refused or failed', async () => {
    const refusing = call(keyed(), async () => {
      throw new Refusal('unknown-zone', 'no zone is called lab');
    });
    expect(await refusalOf(refusing)).toEqual(['unknown-zone', undefined]);
    const failing = call(keyed(), async () => {
      throw new Later('row.busy', 'node n1 kept moving');
    });
    await expect(failing).rejects.toThrow(new Later('row.busy', 'node n1 kept moving'));
    expect(await call(keyed())).toEqual(first);
  });

  it('does nothing again when the table takes its answer only after a while', async () => {
    const weather = refusing(3);
    expect(await idempotently(weather.shell, accept, keyed(), weather.handle)).toEqual(first);
    expect(await call(keyed())).toEqual(first);
    expect(calls).toBe(1);
  });

  it('does nothing again when the table took its answer, and a transient failure took the word of that', async () => {
    let commits = 0;
    const windy = committing(shell, async (stored, changes) => {
      commits += 1;
      await stored(changes);
      if (commits === 2) throw new Later('service.busy', 'commit: no answer');
    });
    expect(await idempotently(windy, accept, keyed(), handle)).toEqual(first);
    expect(await call(keyed())).toEqual(first);
    expect(shell.logged.filter(({ code }) => code === 'idempotency.unkept')).toEqual([]);
  });

  it('is told to wait, and does nothing again, where the table never took the answer of the first', async () => {
    const weather = refusing(Number.POSITIVE_INFINITY);
    expect(await idempotently(weather.shell, accept, keyed(), weather.handle)).toEqual(first);
    expect(await refusalOf(call(keyed()))).toEqual(['in-progress', '1']);
    expect(calls).toBe(1);
    expect(shell.logged.filter(({ code }) => code === 'idempotency.unkept')).toHaveLength(1);
  });

  it("is made and remembered when the table's answers are lost on the way", async () => {
    const answered = await idempotently(losingAnswers(shell, 2), accept, keyed(), handle);
    expect(answered).toEqual(first);
    expect(await call(keyed())).toEqual(first);
    expect(calls).toBe(1);
  });

  it('made twice at a time is made once', async () => {
    const both = await Promise.allSettled([call(keyed()), call(keyed())]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(calls).toBe(1);
  });
});

describe('another call with the same Idempotency-Key', () => {
  it.each([
    ['body', { body: '{"n":2}' }],
    ['path', { path: '/api/v1/systems/ban' }],
    ['query', { query: 'really=1' }],
  ])('is refused: another %s', async (_what, more) => {
    await call(keyed());
    expect(await refusalOf(call(keyed(more)))).toEqual(['idempotency-mismatch', undefined]);
    expect(calls).toBe(1);
  });

  it('is refused also while the first is being answered', async () => {
    let meanwhile: [string, string | undefined] | undefined;
    await call(keyed(), async () => {
      meanwhile = await refusalOf(call(keyed({ body: '{"n":2}' })));
      return handle();
    });
    expect(meanwhile).toEqual(['idempotency-mismatch', undefined]);
  });
});

describe('the same call with the same Idempotency-Key by somebody else', () => {
  it.each([
    ['alice', 'k1', 'bob', 'k1'],
    ['alice b', 'c', 'alice', 'b c'],
    ['alice%20b', 'c', 'alice b', 'c'],
  ])('is another call: %s with %s, and %s with %s', async (one, key, other, same) => {
    const by = (who: string, chosen: string) => {
      const actor = { who: `admin:${who}`, source: '192.0.2.1', request: 'r' };
      return idempotently({ ...shell, actor }, accept, keyed({ headers: { 'idempotency-key': chosen } }), handle);
    };
    expect(await by(one, key)).toEqual(first);
    expect(await by(other, same)).toMatchObject({ body: 'answer 2' });
    expect(await by(one, key)).toEqual(first);
  });
});

describe('a call that is not remembered', () => {
  it('has no key, or is none of the API that changes something', async () => {
    const get = route({ method: 'GET', path: '/api/v1/status', summary: 'status', scope: 'read', statuses: [200], errors: [] });
    const knock = route({ method: 'POST', path: '/system/knock', summary: 'knock', scope: 'client', statuses: [200], errors: [] });
    const before = shell.table.rows.size;
    await call(aRequest({ method: 'POST', path: '/api/v1/systems/accept' }));
    await idempotently(shell, get, keyed({ method: 'GET' }), handle);
    await idempotently(shell, knock, keyed({ path: '/system/knock' }), handle);
    expect(calls).toBe(3);
    expect(shell.table.rows.size).toBe(before);
  });

  it('has a key that is too long, which is refused', async () => {
    expect(await refusalOf(call(keyed({ headers: { 'idempotency-key': 'k'.repeat(201) } })))).toEqual(['invalid', undefined]);
    expect(calls).toBe(0);
  });
});
