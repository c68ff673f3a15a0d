import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, Unreachable } from '../../../../../lib/api/client.ts';
import { Fid } from '../../../../../lib/core/fid.ts';
import { Fqdn, NodeId } from '../../../../../lib/core/ids.ts';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import { newLedger, writeLedger } from '../../../../../programs/agent/ledger.ts';
import { processConfiguration } from '../../../../../programs/agent/processes/commands.ts';

const fid = Fid.parse('0x7200000000000001:0x30');
let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

describe('muster-agent process configuration', () => {
  const asked = () =>
    processConfiguration(
      folderAt(place),
      { fid },
      () => () => Promise.reject(new Unreachable('GET http://127.0.0.1:8080/nodes: ECONNREFUSED')),
    );

  it('says how to name Muster where it is not found', async () => {
    writeLedger(folderAt(place), { ...newLedger(Fqdn.parse('ssu1.acme.org')), node: NodeId.parse('n0123456789abcdef') });
    expect(await asked()).toEqual({
      code: 69,
      talk: 'GET http://127.0.0.1:8080/nodes: ECONNREFUSED; give the address of Muster by --endpoint',
    });
  });

  it('prints nothing that a launcher would run besides', async () => {
    writeLedger(folderAt(place), { ...newLedger(Fqdn.parse('ssu1.acme.org')), node: NodeId.parse('n0123456789abcdef') });
    const answers = (name: string) => {
      const body = { environment: [{ name, value: '1' }] };
      const api = (() => Promise.resolve({ ok: true, status: 200, headers: new Headers(), body })) as unknown as ApiClient;
      return processConfiguration(folderAt(place), { fid }, () => api);
    };
    expect(await answers('MERO_HA_EP')).toEqual({ code: 0, data: `MERO_HA_EP='1'\n` });
    for (const name of ['BASH_ENV', 'A=1;id;B']) expect(await answers(name)).toEqual({ code: 2, talk: expect.stringContaining(name) });
  });

  it('asks nobody for a host that is no node', async () => {
    expect(await asked()).toEqual({ code: 2, talk: `${place} holds no node that has joined` });
  });
});
