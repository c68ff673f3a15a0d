import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { ZoneName } from '../../lib/core/ids.ts';
import { writeText } from '../../lib/mero/facts/text/write.ts';
import { fabricatedFacts } from '../../tools/support/facts/fabricated.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

let host: TestHost;
let folder: string;
beforeAll(async () => {
  host = await aHost({ beatMinMs: 60_000 });
  folder = mkdtempSync(join(tmpdir(), 'muster-facts-'));
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true });
});

const some = fabricatedFacts({ servers: 6, devicesEach: 4 }) as {
  id_sites: { site_racks: { rack_enclosures: { enc_bmc: object[] }[] }[] }[];
};
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const readIf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
const shown = (line: string) => ran(line, { env: { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator! }, read: readIf });
const zone = (name: string) => apiAt(host.url)(contract.createZone, { body: { name: ZoneName.parse(name), kind: 'storage' } });

describe('muster mero load', () => {
  it('wants a storage zone: it says that there is none, or which of several', async () => {
    const facts = file('facts.yaml', writeText(some));
    expect(await shown(`mero load -f ${facts}`)).toMatchObject({ code: 2, err: expect.stringContaining('there is no storage zone') });
    await zone('tier1');
    await zone('tier2');
    const { code, err } = await shown(`mero load -f ${facts}`);
    expect([code, err.includes('there are several storage zones: tier1, tier2')]).toEqual([2, true]);
  });

  it('says everything that is wrong with a file, with line and column, and loads nothing', async () => {
    const bad = file(
      'bad.yaml',
      writeText(some).replace('m0_md_redundancy: 2', 'm0_md_redundancy: 0').replace('pool_id: tier1', 'pool_idx: tier1'),
    );
    const { code, err } = await shown(`mero load -f ${bad} --zone tier1`);
    expect(code).toBe(1);
    expect(err).toMatch(/^bad\.yaml:\d+:\d+ id_m0_globals\.m0_md_redundancy: it must be a whole number from 1$/m);
    expect(err).toMatch(/^bad\.yaml:\d+:\d+ id_pools\[0\]\.pool_idx: .*pool_id/m);
    expect(err).toContain('nothing is loaded');
    const broken = file('broken.yaml', 'id_sites: [\n  }');
    expect((await shown(`mero load -f ${broken} -v`)).err).toMatch(/^broken\.yaml:2:3 /m);
    expect((await shown('mero dump -f - --zone tier1')).code).not.toBe(0);
  });

  it('looks only with -v', async () => {
    const result = await shown(`mero load -f ${join(folder, 'facts.yaml')} -v`);
    expect(result).toEqual({
      code: 0,
      err: 'Initial data file parsed successfully.\n',
      out: expect.stringMatching(/^valid: 6 nodes, 13 processes, /),
    });
  });

  it('loads facts once, and says so; others are refused by what differs', async () => {
    const facts = join(folder, 'facts.yaml');
    expect(await shown(`mero load -f ${facts} --zone tier1`)).toMatchObject({ code: 0, out: expect.stringMatching(/^loaded: 6 nodes/) });
    expect(await shown(`mero load -f ${facts} --zone tier1`)).toMatchObject({
      code: 0,
      err: expect.stringContaining('Initial data is already loaded.'),
    });
    // The same in another order of its servers is the same: what counts are names, endpoints, WWNs and serials.
    const { id_m0_servers, ...rest } = fabricatedFacts({ servers: 6, devicesEach: 4 }) as { id_m0_servers: object[] };
    const turned = file('turned.yaml', writeText({ ...rest, id_m0_servers: id_m0_servers.toReversed() }));
    expect(await shown(`mero load -f ${turned} --zone tier1`)).toMatchObject({ code: 0, err: expect.stringContaining('already loaded') });
    const others = file('others.yaml', writeText(fabricatedFacts({ servers: 7, devicesEach: 4 })));
    const { code, err } = await shown(`mero load -f ${others} --zone tier1`);
    expect([code, err.includes('host ssu7.storage.acme.org is in the file and not in the cluster')]).toEqual([1, true]);
  });

  it('keeps no passwords: it asks for names of secrets, or makes them and writes the passwords aside', async () => {
    const plain = structuredClone(some);
    plain.id_sites[0]!.site_racks[0]!.rack_enclosures[0]!.enc_bmc = [{ bmc_addr: '10.0.0.9', bmc_user: 'admin', bmc_pass: 'top secret' }];
    const facts = file('plain.yaml', writeText(plain));
    const refused = await shown(`mero load -f ${facts} --zone tier2`);
    expect([refused.code, /enc_bmc\[0\]\.bmc_pass: .*\{ secret: NAME \}/.test(refused.err), refused.err.includes('top secret')]).toEqual([
      1,
      true,
      false,
    ]);
    const secrets = join(folder, 'secrets.json');
    expect((await shown(`mero load -f ${facts} --zone tier2 --secrets ${secrets}`)).code).toBe(0);
    expect(JSON.parse(readFileSync(secrets, 'utf8'))).toEqual({ 'bmc/enclosure-0-0/0': 'top secret' });
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    const dumped = await shown('mero dump -f - --zone tier2');
    expect([dumped.code, dumped.out.includes('top secret'), dumped.out.includes('secret: bmc/enclosure-0-0/0')]).toEqual([0, false, true]);
  });

  it('gives a load up that nobody sees through', async () => {
    expect(await shown('mero load --give-up nothing --zone tier1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no load nothing is under way'),
    });
  });
});
