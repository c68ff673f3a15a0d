import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
beforeAll(async () => {
  host = await aStronghold();
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const refused = [422, 'private-target', '/url'];
const add = async (url: string) => told(await host.attack({ method: 'POST', path: '/api/v1/webhooks', body: { url } }));

describe('attack 40', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.169.254/latest/meta-data/',
    'http://localhost:8080/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://10.0.0.1/',
    'https://100.64.0.1/',
    'https://[fd00:ec2::254]/',
    'https://0/',
    'gopher://127.0.0.1:8080/',
    'https://me:secret@hooks.acme.org/',
  ])('attack 40: a webhook to %s is refused', async (url) => expect(await add(url)).toEqual(refused));

  it('attack 40: what is no URL, or of an event that there is not, is refused by its name', async () => {
    expect(await add('not a url')).toEqual([422, 'invalid', '/url']);
    const body = { url: 'https://hooks.acme.org/', types: ['node.exploded'] };
    expect(told(await host.attack({ method: 'POST', path: '/api/v1/webhooks', body }))).toEqual([422, 'invalid', '/types/0']);
  });
});
