import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import type { ZonePreview } from '../../lib/assembly/preview/routes.ts';
import { contract } from '../../lib/contract.ts';
import { ZoneName } from '../../lib/core/ids.ts';
import type { ZoneMapView } from '../../lib/zones/map/routes.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { aNodeUp } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

let host: TestHost;
let api: ApiClient;
const zone = { params: { zone: defaultZone } };
beforeAll(async () => {
  host = await aHost({ beatMinMs: 60_000 });
  api = apiAt(host.url);
  for (const n of [1, 2, 3, 4]) await aNodeUp(host.url, `node${n}.acme.org`);
  await eventually('four nodes have their share', async () => {
    const { nodes, whole } = await mapNow();
    const owners = new Set(cells(whole!.owner));
    return nodes.length === 4 && owners.size === 4 && !owners.has(0xffff);
  });
});
afterAll(() => host.stop());

async function mapNow(): Promise<ZoneMapView> {
  const answer = await api(contract.zoneMap, zone);
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
}
const cells = (text: string): number[] => {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readUInt16LE(n * 2));
};
/** The owners that a preview foretells, slot by slot. */
function foretold({ whole }: ZoneMapView, { moves }: ZonePreview): number[] {
  const owner = cells(whole!.owner);
  const bytes = Buffer.from(moves, 'base64');
  for (let at = 0; at < bytes.length; at += 8) owner[bytes.readUInt32LE(at)] = bytes.readUInt16LE(at + 4);
  return owner;
}

describe('what a preview said, on an embedded host', () => {
  it('is what the drop then did, slot by slot', async () => {
    const before = await mapNow();
    const said = await api(contract.previewZone, { ...zone, query: { drop: before.nodes[1]!.fqdn } });
    if (!said.ok) throw new Error(said.problem.detail);
    expect(said.body.mapVersion).toBe(before.version);
    expect((await mapNow()).version).toBe(before.version);

    await api(contract.dropNode, { params: { id: before.nodes[1]!.node } });
    await eventually('its slots have moved', async () => (await mapNow()).version > before.version);

    expect(cells((await mapNow()).whole!.owner)).toEqual(foretold(before, said.body));
  });

  it('is shown by --dry-run, which changes nothing', async () => {
    const before = await mapNow();
    const { fqdn } = before.nodes[2]!;
    const env = { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator };
    const shown = await ran(`node drop ${fqdn} --dry-run`, { env });

    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toContain(`Dry run: drop ${fqdn}. Nothing has changed.`);
    expect(await mapNow()).toEqual(before);
  });

  it('is not for a zone that does not exist', async () => {
    const answer = await api(contract.previewZone, { params: { zone: ZoneName.parse('nowhere') }, query: { drop: 'node1.acme.org' } });
    expect(answer).toMatchObject({ ok: false, status: 404 });
  });
});
