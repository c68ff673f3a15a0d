import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../lib/access/api-keys/api-key.ts';
import type { ZoneName } from '../../lib/core/ids.ts';
import { rightsOf } from '../../lib/identity/rights.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { aShell } from '../../tools/support/a-shell.ts';
import { aClient, aNode, fpOf, nodeId } from '../../tools/support/builders.ts';
import { aKey } from '../support/callers.ts';
import { rights } from './invariants/clients/rights.ts';
import type { Court } from './invariants/invariant.ts';
import type { Answered, Committed } from './watching.ts';

const fp = fpOf('web of default');
const acceptedAt = 2_000;

/**
 * What is said against a list of `fp`, which waited for this zone or none, that was asked for at this moment by whoever
 * is limited to another zone, and answered at 3,000.
 */
async function saidOf(askedAt: number, asked?: string): Promise<string[]> {
  const shell = aShell();
  const { text } = await aKey(shell, rightsOf(['admin'], ['elsewhere' as ZoneName]));
  const said: string[] = [];
  const watcher = rights.begin({
    violated: (what: string) => said.push(what),
    world: () => ({ config: { faults: {} } }),
  } as unknown as Court);
  const key = [...shell.table.rows.values()].find((row) => row.key.sk === 'api-key')!;
  const taken = (after: Row, at: number) => watcher.committed!([{ at, by: 'admin-1', before: undefined, after } as unknown as Committed]);
  taken({ ...key, body: { ...(key.body as ApiKey), expiresAt: 9_000 } }, 0);
  const ref = { noun: 'client', id: fp };
  const rowOf = (body: object) => ({ key: keyOf(ref), rev: 1, body }) as unknown as Row;
  taken(rowOf(aClient({ standing: 'pooled', fp, ...(asked && { zone: asked as ZoneName }) } as never)), 1_000);
  taken(rowOf(aClient({ fp, zone: 'default' as ZoneName })), acceptedAt);
  // What is written of it later does not bring it there anew.
  taken(rowOf(aClient({ fp, zone: 'default' as ZoneName })), acceptedAt + 900);
  const call = { method: 'GET', path: '/api/v1/systems', query: 'status=new', sent: undefined, shown: { authorization: `Bearer ${text}` } };
  watcher.answered!({
    ...call,
    askedAt,
    at: 3_000,
    by: 'admin-1',
    status: 200,
    body: JSON.stringify({ items: [{ fp }] }),
  } as unknown as Answered);
  return said;
}

describe('a client system in the answer to whoever is limited to another zone', () => {
  it('is a violation when it was in its zone before the list was asked for', async () => {
    expect(await saidOf(acceptedAt + 1)).toEqual([expect.stringContaining(`was shown ${fp} of default`)]);
  });

  it('is none when it was accepted elsewhere while the list was made: it was read as it waited for the caller’s zone', async () => {
    expect(await saidOf(acceptedAt - 1, 'elsewhere')).toEqual([]);
  });

  it('is a violation when it waited for another zone, or for none', async () => {
    expect(await saidOf(acceptedAt - 1, 'default')).toEqual([expect.stringContaining(`was shown ${fp} of default`)]);
    expect(await saidOf(acceptedAt - 1)).toEqual([expect.stringContaining(`was shown ${fp} of default`)]);
  });
});

/** What is said of an answer to a key that numbers actions, and of a node that was changed by it. */
async function saidOfNumbering({ method, path }: { method: string; path: string }, changed?: object): Promise<string[]> {
  const shell = aShell();
  const { id, text } = await aKey(shell, rightsOf(['number'], 'all'));
  const said: string[] = [];
  const watcher = rights.begin({
    violated: (what: string) => said.push(what),
    world: () => ({ config: { faults: {} } }),
  } as unknown as Court);
  const at = 1_000;
  const taken = (after: object) => watcher.committed!([{ at, by: 'admin-1', before: undefined, after } as unknown as Committed]);
  const key = [...shell.table.rows.values()].find((row) => row.key.sk === 'api-key')!;
  taken({ ...key, body: { ...(key.body as ApiKey), expiresAt: 9_000 } });
  if (changed)
    taken({ key: keyOf({ noun: 'node', id: nodeId(1) }), actor: { who: `key:${id}`, key: id }, because: 'it drains', ...changed });
  const call = { method, path, query: '', sent: undefined, shown: { authorization: `Bearer ${text}` } };
  watcher.answered!({ ...call, askedAt: at, at, by: 'admin-1', status: 200, body: '{}' } as unknown as Answered);
  return said;
}

describe('a key that numbers actions', () => {
  const reserving = { method: 'POST', path: '/api/v1/actions/numbers' };

  it('breaks nothing by numbers, and by what it reads', async () => {
    expect(await saidOfNumbering(reserving)).toEqual([]);
    expect(await saidOfNumbering({ method: 'GET', path: '/api/v1/nodes' })).toEqual([]);
  });

  it('is a violation where it drains a node, or has a node changed', async () => {
    const draining = await saidOfNumbering({ method: 'POST', path: `/api/v1/nodes/${nodeId(1)}/leave` });
    expect(draining).toEqual([expect.stringContaining('its key lacks the scope of the route')]);
    expect(await saidOfNumbering(reserving, { body: aNode() })).toEqual([expect.stringMatching(/changed node#.* of default: it drains/)]);
  });
});
