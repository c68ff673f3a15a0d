import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { write } from '../../../../lib/core/decision.ts';
import { fidOf } from '../../../../lib/core/fid.ts';
import type { StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { applyPlan } from '../../../../lib/runtime/apply-plan.ts';
import type { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aStorageZone, type StorageZone } from '../../../support/a-storage-zone.ts';
import { Obeying } from '../../../support/obeying.ts';
import { served } from '../../../support/served.ts';
import { ran } from './a-terminal.ts';

let world: World;
let lab: StorageZone;
let ssu1: Agent;
let processes: Obeying;
let server: Awaited<ReturnType<typeof served>>;
/** What happens in each second that a command waits. */
let meanwhile: () => Promise<void>;
beforeEach(async () => {
  world = await stepped();
  lab = await aStorageZone(world);
  ssu1 = await lab.host('ssu1.acme.org');
  processes = new Obeying(ssu1);
  server = await served(world);
  meanwhile = () => processes.obey();
  await runs();
});
afterEach(() => server.stop());

/** The cluster is at its highest level, as if it had been started and had nothing to wait for. */
async function runs(): Promise<void> {
  const ref = { noun: 'cluster', id: 'lab' };
  await applyPlan(world.environment('admin'), { id: 'it runs' }, async (reading) => {
    const row = (await reading.row(ref))!;
    const next = { ...(row.body as StorageCluster), disposition: 'ONLINE' as const, level: 3, reached: 3 };
    return { because: ['a test'], changes: [{ ref, readRev: row.rev, decision: write(next, 'a test') }] };
  });
}

const cli = async (line: string, more = {}) =>
  ran(line, {
    env: { MUSTER_ENDPOINT: server.url },
    now: () => world.now(),
    sleep: async (ms: number) => {
      await meanwhile();
      await world.step(ms);
    },
    ...more,
  });
const add = async (role: string, more = ''): Promise<string> => {
  const { out } = await cli(`mero process add ${role} --node ssu1.acme.org ${more}`);
  return /MERO_PROCESS_FID='(.*)'/.exec(out)![1]!;
};

describe('mero process', () => {
  it('add prints what the process must be told, and configuration prints the same', async () => {
    const added = await cli('mero process add clovis-app --node ssu1.acme.org --set multiplicity=1');

    const own = [
      "MERO_CLOVIS_APP_EP='192.0.2.1@tcp:12345:41:302'",
      "MERO_HA_EP='192.0.2.1@tcp:12345:34:101'",
      "MERO_PROCESS_FID='0x7200000000000001:0x2'",
      '',
    ].join('\n');
    expect(added).toEqual({
      code: 0,
      out: expect.stringContaining(`${own}\n# /etc/sysconfig/m0d-0x7200000000000001:0x4\nMERO_M0D_EP='192.0.2.1@tcp:12345:34:101'\n`),
      err: '2 processes added on ssu1.acme.org, which has become Mero node 0x6e00000000000001:0x1\n',
    });
    expect((await cli('mero process configuration 0x7200000000000001:0x2')).out).toBe(own);
    expect((await cli('mero process configuration --fid 0x7200000000000001:0x2')).out).toBe(own);
  });

  it('add writes each configuration into a folder, and nothing that a dry run would add', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-mero-'));

    expect(await cli(`mero process add clovis-app --node ssu1.acme.org --set multiplicity=2 --dry-run -o ${folder}`)).toMatchObject({
      code: 0,
      err: '3 processes would be added on ssu1.acme.org, which would become Mero node 0x6e00000000000001:0x1\n',
    });
    expect(readdirSync(folder)).toEqual([]);
    await cli(`mero process add clovis-app --node ssu1.acme.org --set multiplicity=2 -o ${folder}`);
    expect(readdirSync(folder)).toEqual([
      'clovis-app-0x7200000000000001:0x2',
      'clovis-app-0x7200000000000001:0x4',
      'm0d-0x7200000000000001:0x6',
    ]);
    expect(readFileSync(join(folder, 'clovis-app-0x7200000000000001:0x4'), 'utf8')).toContain("EP='192.0.2.1@tcp:12345:41:303'");
  });

  it('stop, start and remove wait until it is so', async () => {
    const fid = await add('m0t1fs');
    await meanwhile();
    await world.step(0);

    expect(await cli(`mero process stop ${fid}`)).toEqual({ code: 0, out: `${fid} stopped.\n`, err: 'Process stop initiated.\n' });
    expect(await cli(`mero process start ${fid}`)).toEqual({ code: 0, out: `${fid} started.\n`, err: '' });
    expect([...processes.running.keys()]).toEqual([fid]);
    expect(await cli(`mero process remove ${fid} --yes`)).toEqual({ code: 0, out: `${fid} removed.\n`, err: '' });
    expect(await cli(`mero process configuration ${fid}`)).toMatchObject({ code: 1, out: '' });
  });

  it('start of an unmanaged one starts it once', async () => {
    const fid = await add('clovis-app', '--set multiplicity=1');

    expect(await cli(`mero process start ${fid}`)).toMatchObject({ code: 0, out: `${fid} started.\n` });
    await processes.ends(fid);
    await world.step(60_000);
    await meanwhile();
    expect([...processes.running.keys()]).toEqual([]);
  });

  it('says by its exit code that something is still under way, was refused, or was not meant', async () => {
    const fid = await add('m0t1fs');
    await meanwhile();
    await world.step(0);
    const app = await add('clovis-app', '--set multiplicity=1');

    meanwhile = () => processes.obey({ except: [fid] });
    expect(await cli(`mero process stop ${fid} --timeout 5s`)).toMatchObject({ code: 1, out: '' });
    expect(await cli(`mero process stop ${app}`)).toMatchObject({ code: 1, err: expect.stringContaining('is unmanaged') });
    expect(await cli('mero process stop')).toMatchObject({ code: 2 });
    expect(await cli(`mero process stop ${fidOf('service', 3)}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('the fid of a service'),
    });
    expect(await cli(`mero process remove ${fid}`)).toMatchObject({ code: 2, err: expect.stringContaining('Confirm with --yes') });
    expect(await cli('mero process add nothing --node ssu1.acme.org')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there are ha, confd'),
    });
    expect(await cli('mero process add m0t1fs --node ssu9.acme.org')).toMatchObject({ code: 1 });
  });
});

describe('mero node and halon node', () => {
  it('add gives a host several roles at once; stop, start and remove wait for all of them', async () => {
    expect(await cli('mero node add ssu1.acme.org storage m0t1fs')).toMatchObject({
      code: 0,
      err: expect.stringContaining('3 processes added'),
    });
    await meanwhile();
    await world.step(0);

    expect(await cli('mero node stop ssu1.acme.org --force')).toMatchObject({ code: 0, out: 'Stop node finished.\n' });
    expect(processes.running.size).toBe(0);
    expect(await cli('mero node start --node ssu1.acme.org')).toMatchObject({ code: 0, out: 'Start node finished.\n' });
    expect(processes.running.size).toBe(2);
    expect(await cli('mero node remove ssu1.acme.org --yes')).toMatchObject({ code: 0, out: 'ssu1.acme.org removed.\n' });
    expect((await ssu1.beat()).status).toBe(200);
  });

  it('remove sends the host away, and add lets it in again', async () => {
    const fid = await add('m0t1fs');
    await meanwhile();
    await world.step(0);

    expect(await cli('halon node remove ssu1.acme.org --dry-run')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        `^ssu1.acme.org would be removed\n  0x7200000000000001:0x4\n  ${fid} stops first\nThe storage cluster would lose processes \\(2\\), services \\(3\\)`,
      ),
    });
    expect(await cli('halon node remove ssu1.acme.org --yes')).toMatchObject({ code: 0, out: 'ssu1.acme.org removed.\n' });
    expect((await ssu1.beat()).body).toMatchObject({ type: 'urn:muster:problem:removed' });
    await world.step(5000);
    expect(await cli('halon node add ssu1.acme.org --wait 3s')).toMatchObject({
      code: 1,
      out: 'ssu1.acme.org failed to start: Timeout.\n',
      err: expect.stringContaining('ssu1.acme.org is let in'),
    });
    expect((await ssu1.join({ kind: 'storage', zone: 'lab' })).status).toBe(201);
  });

  it('add prints a token for a host that nobody knows', async () => {
    expect(await cli('halon node add ssu2.acme.org')).toMatchObject({ code: 0, out: expect.stringMatching(/^mjt_\S+\n$/) });
    expect(await cli('halon node add ssu1.acme.org')).toMatchObject({ code: 0, out: 'ssu1.acme.org: it is a node already\n' });
  });
});

describe('mero role and halon role', () => {
  const client = `- name: client\n  variables: {port: 301}\n  content:\n    - m0p_endpoint: "{{ lnid }}:12345:41:{{ port }}"\n      m0p_type: {tag: PLM0t1fs, contents: []}\n      m0p_services:\n        - m0s_type: {tag: CST_RMS, contents: []}\n`;
  const map = `- name: client\n  content:\n    - m0p_endpoint: "{{ lnid }}:12345:41:301"\n      m0p_mem_as: {{ host_mem_as }}\n      m0p_cores:\n{% for core in host_cores %}\n        - {{ core.value }}\n{% endfor %}\n      m0p_boot_level: 2\n      m0p_services:\n        - m0s_type: {tag: CST_RMS, contents: []}\n          m0s_endpoints: ["{{ lnid }}:12345:41:301"]\n`;
  const reading = (text: string) => ({ read: (path: string) => (/^(-|client.yaml|map.ede|w.json)$/.test(path) ? text : undefined) });

  it('put a role that is then used, shown, listed and deleted', async () => {
    expect(await cli('mero role put -f client.yaml', reading(client))).toMatchObject({ code: 0, out: 'role client put\n' });
    expect((await cli('mero process add client --node ssu1.acme.org --set port=777')).out).toContain(':12345:41:777');
    expect((await cli('mero role list')).out).toMatch(/^client +1 +port=301 +put$/m);
    const shown = (await cli('mero role show client')).out;
    expect(await cli('mero role put -f -', reading(shown))).toMatchObject({ code: 0, out: 'role client has this content already\n' });
    expect(await cli('mero role delete client')).toMatchObject({ code: 0, out: 'role client deleted\n' });
    expect(await cli('mero role delete client')).toMatchObject({ code: 1 });
  });

  it('take a role map of the original, with what is each host’s own left open', async () => {
    expect(await cli('mero role put -f map.ede', reading(map))).toMatchObject({ code: 0, err: '', out: 'role client put\n' });
    expect((await cli('mero process add client --node ssu1.acme.org')).out).toContain('192.0.2.1@tcp:12345:41:301');
    expect(JSON.parse((await cli('mero role show client --json')).out)).toEqual({
      name: 'client',
      content: [
        {
          m0p_endpoint: '{{ lnid }}:12345:41:301',
          m0p_mem_as: '{{ host_mem_as? }}',
          m0p_cores: '{{ host_cores? }}',
          m0p_type: { tag: 'PLM0t1fs', contents: [] },
          m0p_services: [{ m0s_type: { tag: 'CST_RMS', contents: [] }, m0s_endpoints: ['{{ lnid }}:12345:41:301'] }],
        },
      ],
    });
  });

  it('refuse a file with a defect, and say where', async () => {
    expect(await cli('mero role put -f client.yaml', reading('- name: client\n'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('1 defect: nothing is put'),
    });
    expect(await cli('mero role put -f client.yaml', reading(client.replace('CST_RMS', 'CST_NONE')))).toMatchObject({ code: 2 });
  });

  it('put Halon roles', async () => {
    const watcher = '{"name": "watcher", "station": true, "services": [{"type": "ping", "configuration": {}}]}';

    expect(await cli('halon role put -f w.json', reading(watcher))).toMatchObject({ code: 0, out: 'role watcher put\n' });
    expect((await cli('halon role list')).out).toMatch(/^watcher +yes +ping +put$/m);
    expect(await cli('halon role delete watcher')).toMatchObject({ code: 0 });
  });

  it('take a map of Halon roles of the original, with the names of secrets for passwords', async () => {
    const halonMap = '- name: ssu\n  h_bootstrap_station: False\n  h_services:\n    - "sspl start -u user -p hunter2"\n';
    const put = await cli('halon role put -f w.json', reading(halonMap));
    expect(put).toMatchObject({ code: 0, out: 'role ssu put\n', err: expect.stringContaining('1 password left out: --secrets FILE') });
    const { out } = await cli('halon role list --json');
    expect([out.includes('halon/ssu/0-sspl/password'), out.includes('hunter2')]).toEqual([true, false]);
    expect(await cli('halon role put -f w.json', reading(halonMap.replace('start', 'stop')))).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^w\.json:4:7 \[0\]\.h_services\[0\]: it must be a command that starts a service.*\nmuster: 1 defect: nothing is put/,
      ),
    });
    expect(await cli('halon role delete ssu')).toMatchObject({ code: 0 });
  });
});
