import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { aClient, aNodeUp } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

let host: TestHost;
beforeEach(async () => {
  host = await aHost();
});
afterEach(() => host.stop());

const muster = (line: string) => ran(line, { env: { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator } });
const zonesIn = async (): Promise<string[]> => {
  const { out } = await muster('zone list --json');
  return (JSON.parse(out) as { name: string }[]).map(({ name }) => name).sort();
};

describe('zones that are made and deleted on the command line', () => {
  it('are there, hold what belongs to them, and go when they are empty', async () => {
    expect(await muster('zone create lab --remap-after 10m')).toEqual({
      code: 0,
      out: 'zone lab created: number 2, management\n',
      err: '',
    });
    expect(await zonesIn()).toEqual(['default', 'lab']);
    const shown = JSON.parse((await muster('zone show lab --json')).out) as object;
    expect(shown).toMatchObject({ name: 'lab', number: 2, remapAfterMs: 600_000, systemsAbout: 0 });

    const client = aClient(host.url, 'web1.acme.org');
    await client.knock();
    expect((await muster(`system accept ${client.fp} --zone lab`)).code).toBe(0);
    const full = await muster('zone delete lab --yes');
    expect({ out: full.out, code: full.code }).toEqual({ out: '', code: 1 });
    expect(full.err).toContain('zone lab is not empty: it has 1 client system\n');
    expect(await zonesIn()).toEqual(['default', 'lab']);

    expect((await muster(`system ban ${client.fp} --yes`)).code).toBe(0);
    await eventually('the zone is empty', async () => (await muster('zone delete lab --yes')).code === 0);
    expect(await zonesIn()).toEqual(['default']);
    expect((await muster('zone show lab')).err).toContain('no zone is called lab');
  }, 30_000);

  it('are answered as they are when they are there already, and refused when they are otherwise', async () => {
    expect((await muster('zone create lab')).out).toBe('zone lab created: number 2, management\n');
    expect(await muster('zone create lab')).toMatchObject({ code: 0, out: 'zone lab exists already: number 2, management\n' });
    const other = await muster('zone create lab --kind storage');
    expect({ code: other.code, out: other.out }).toEqual({ code: 1, out: '' });
    expect(other.err).toContain('zone lab already exists, and its kind is management');
  });

  it('never get a number twice', async () => {
    for (const [name, number] of [
      ['lab', 2],
      ['emea', 3],
    ] as const)
      expect((await muster(`zone create ${name}`)).out).toBe(`zone ${name} created: number ${number}, management\n`);
    expect((await muster('zone delete emea --yes')).code).toBe(0);
    expect((await muster('zone create emea')).out).toBe('zone emea created: number 4, management\n');
  });

  it('are not deleted while a node is in them', async () => {
    await aNodeUp(host.url, 'node1.acme.org');
    const { code, err } = await muster('zone delete default --yes');
    expect(code).not.toBe(0);
    expect(err).toContain('default');
    const nodes = await apiAt(host.url)(contract.listNodes, {});
    expect(nodes.ok && nodes.body.items.map(({ fqdn }) => fqdn)).toEqual(['node1.acme.org']);
  });

  it('stand in the audit', async () => {
    await muster('zone create lab');
    await muster('zone delete lab --yes');
    await eventually('it says so', async () => {
      const { out } = await muster('audit list --json');
      return (JSON.parse(out) as { because: string }[]).some(({ because }) => because.includes('zone lab deleted'));
    });
  });
});
