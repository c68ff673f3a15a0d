import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, Unreachable } from '../../../../../lib/api/client.ts';
import type { NodeId, ServiceTypeName } from '../../../../../lib/core/ids.ts';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import { livesOf } from '../../../../../programs/agent/processes/born.ts';
import { hearLaunchers } from '../../../../../programs/agent/processes/launchers.ts';
import { askMuster } from '../../../../../programs/agent/services/commands.ts';
import { askMuster as askFor } from '../../../../../programs/agent/services/questions.ts';
import { echo, instances } from './played.ts';

const question = 'may-stop' as ServiceTypeName;
let place: string;
let node: NodeId | undefined;
let sent: object[];
/** What Muster answers; undefined while it is away. */
let answer: object | undefined;
let unhear: () => void;

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'muster-ask-'));
  node = 'n0123456789abcdef' as NodeId;
  sent = [];
  answer = { ok: true, status: 200, body: { yes: true, because: 'enough are left' } };
  const api = (async (_route: object, call: object) => {
    if (!answer) throw new Unreachable('Muster is away');
    sent.push(call);
    return answer;
  }) as unknown as ApiClient;
  const unused = () => ({ ok: false, why: 'nobody asks this' }) as const;
  unhear = hearLaunchers({
    folder: folderAt(place),
    keeper: { report: unused },
    services: { report: unused, find: async () => unused(), ask: (word) => askFor({ api, node: () => node }, word) },
    lives: livesOf('0123abcd'),
    say: () => undefined,
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
});
afterEach(() => {
  unhear();
  rmSync(place, { recursive: true });
});

const inside = () => ({ MUSTER_SERVICE_SOCKET: join(place, 'agent.sock'), MUSTER_SERVICE: echo, MUSTER_SERVICE_INSTANCE: instances[0]! });
const asks = (data?: unknown) => askMuster(inside(), { question, ...(data !== undefined && { data }) });

describe('a service that asks by its agent', () => {
  it('is printed the answer, and its exit code is 1 for a no alone', async () => {
    const { code, data } = await asks({ loudly: true });
    expect([code, JSON.parse(data!)]).toEqual([0, { yes: true, because: 'enough are left' }]);
    const body = { instance: instances[0], question, data: { loudly: true } };
    expect(sent).toEqual([{ params: { id: node, type: echo }, body }]);
    answer = { ok: true, status: 200, body: { yes: false, because: 'too few are left' } };
    expect(await asks()).toMatchObject({ code: 1, data: expect.stringContaining('too few') });
    expect(sent[1]).toEqual({ params: { id: node, type: echo }, body: { instance: instances[0], question } });
    answer = { ok: true, status: 200, body: { holders: [], exclusive: false } };
    expect((await asks()).code).toBe(0);
  });

  it('is told on standard error why there is no answer, and whether it may ask again', async () => {
    const problem = { type: 'urn:muster:problem:unknown-message', title: '', status: 422, detail: 'echo may ask nothing', instance: 'i' };
    answer = { ok: false, problem };
    expect(await asks()).toEqual({ code: 2, talk: 'refused (unknown-message): echo may ask nothing' });
    answer = undefined;
    expect(await asks()).toEqual({ code: 75, talk: 'Muster is away' });
    node = undefined;
    expect(await asks()).toMatchObject({ code: 75, talk: expect.stringContaining('not acknowledged') });
    expect(await asks('x'.repeat(5_000))).toMatchObject({ code: 2, talk: expect.stringContaining('4096') });
    expect(await askMuster({}, { question })).toMatchObject({ code: 2, talk: expect.stringContaining('from inside') });
    unhear();
    expect(await asks()).toMatchObject({ code: 69, talk: expect.stringContaining('no agent listens') });
  });
});
