import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { aProcess, processFid, processTypes, storageZone, storeCluster } from '../../support/mero.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
beforeAll(async () => {
  host = await aStronghold();
  expect(await apiAt(host.url)(contract.createZone, { body: { name: storageZone, kind: 'storage' } })).toMatchObject({ ok: true });
  await storeCluster(host.shell.table, [aProcess({ type: processTypes.app, state: { is: 'online' } })]);
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const fid = processFid(1);
const remove = (path: string, body: unknown = {}) => host.attack({ method: 'POST', path, body });

describe('attack 37', () => {
  it.each([{}, { force: true }, { dryRun: true }])('attack 37: an unmanaged process that is online is not removed: %j', async (body) => {
    const answer = await remove(`/api/v1/zones/${storageZone}/mero/processes/${encodeURIComponent(fid)}/remove`, body);
    expect(told(answer).slice(0, 2)).toEqual([409, 'refused']);
    expect(answer.text).toContain('is unmanaged and online');
  });

  it('attack 37: outside the API of its zone there are no processes', async () => {
    expect(told(await remove(`/api/v1/processes/${encodeURIComponent(fid)}/remove`))).toEqual([404, 'not-found']);
    expect(told(await host.attack({ path: '/api/v1/processes' }))).toEqual([404, 'not-found']);
  });
});
