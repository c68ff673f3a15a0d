import { beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, Unreachable } from '../../../../lib/api/client.ts';
import { type ActionNumber, type Fingerprint, firstActionNumber, type NodeId } from '../../../../lib/core/ids.ts';
import { nodeRoutes } from '../../../../lib/node-contract.ts';
import { type ActionsOfMuster, actionsBy, RefusedByMuster } from '../../../../programs/agent/uyuni/actions/muster-side.ts';

/* How an agent takes its part of an action from Muster, and what it makes of refusals. */

const number: ActionNumber = firstActionNumber;
const fpOf = (n: number) => String(n).padStart(64, '0') as Fingerprint;
const pages = [0, 10, 20].map((from) => ({ systems: [fpOf(from), fpOf(from + 1)], ...(from < 20 && { next: from + 10 }) }));
const taken = { is: 'taken', what: { do: 'reboot' }, calls: 25, systems: 6, until: 1 };
const report: Parameters<ActionsOfMuster['report']>[1] = {
  ...{ seq: 1, state: 'scheduled', done: 0, failed: 0, left: 0, unknown: 0, cancelled: 0, examples: [] },
};

let asked: string[];
/** By the call, such as `systems 10`: the status of the next refusal of it. */
let refusals: Map<string, number>;
let type: string;
let muster: ActionsOfMuster;
let isMember: boolean;

beforeEach(() => {
  asked = [];
  refusals = new Map();
  isMember = true;
  type = 'invalid';
  const api = (async (route: unknown, { query }: { query?: { from?: number } }) => {
    const from = query?.from ?? 0;
    const call = route === nodeRoutes.systemsOfAction ? `systems ${from}` : route === nodeRoutes.takeAction ? 'take' : 'report';
    asked.push(call);
    const status = refusals.get(call);
    refusals.delete(call);
    const problem = { type: `urn:muster:problem:${type}`, title: 'refused', status, detail: 'it is refused' };
    if (status !== undefined) return { ok: false, status, headers: new Headers(), problem };
    const body = call === 'take' ? taken : call === 'report' ? { because: 'taken in' } : pages[from / 10];
    return { ok: true, status: 200, headers: new Headers(), body };
  }) as unknown as ApiClient;
  const member = () => (isMember ? { node: 'n0123456789abcdef' as NodeId, incarnation: 3, generation: 1 } : undefined);
  muster = actionsBy({ api, member });
});

/** What Muster's refusal of a call means for the action: given up, or tried again. */
const refusedFor = async (call: Promise<unknown>): Promise<'good' | 'now'> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RefusedByMuster)) throw error;
  return error.isFinal ? 'good' : 'now';
};

describe('the client systems of a part', () => {
  it('are read page by page, and read on where a call was refused for being one too many', async () => {
    refusals.set('systems 10', 429);
    expect(await refusedFor(muster.take(number))).toBe('now');
    expect(asked).toEqual(['take', 'systems 0', 'systems 10']);
    asked.length = 0;
    expect(await muster.take(number)).toMatchObject({ is: 'taken', systems: [0, 1, 10, 11, 20, 21].map(fpOf) });
    expect(asked).toEqual(['take', 'systems 10', 'systems 20']);
  });

  it('are read anew once they were read to the end', async () => {
    await muster.take(number);
    asked.length = 0;
    expect(await muster.take(number)).toMatchObject({ systems: [0, 1, 10, 11, 20, 21].map(fpOf) });
    expect(asked).toEqual(['take', 'systems 0', 'systems 10', 'systems 20']);
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'good'],
    [401, 'now'],
    [403, 'good'],
    [404, 'good'],
    [408, 'now'],
    [409, 'now'],
    [422, 'good'],
    [429, 'now'],
    [500, 'now'],
    [503, 'now'],
  ] as const)('of status %i is for %s', async (status, meaning) => {
    refusals.set('report', status);
    expect(await refusedFor(muster.report(number, report))).toBe(meaning);
  });

  it.each([
    [404, 'unknown-node'],
    [410, 'removed'],
  ] as const)('of status %i is for now where it is of the node (%s), which may join again', async (status, ofNode) => {
    type = ofNode;
    refusals.set('report', status);
    expect(await refusedFor(muster.report(number, report))).toBe('now');
  });

  it('names what Muster says', async () => {
    refusals.set('take', 422);
    await expect(muster.take(number)).rejects.toThrow('Muster refuses it (invalid): it is refused');
  });

  it('is none of a host that is no node at the moment: it asks nothing', async () => {
    isMember = false;
    await expect(muster.take(number)).rejects.toThrow(Unreachable);
    expect(asked).toEqual([]);
  });
});
