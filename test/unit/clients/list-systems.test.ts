import { expect, it } from 'vitest';
import { Daemon } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

it('the beginning of a fingerprint finds its client system in whatever zone it is', async () => {
  const world = await stepped({ zoneMaxAgeMs: 0 });
  await world.call('POST', '/api/v1/zones', { name: 'emea' });
  const web = new Daemon(world, 'web1.acme.org');
  await web.knock();
  await world.call('POST', '/api/v1/systems/accept', { systems: [web.fp], zone: 'emea' });
  await world.step(10_000);

  const found = await world.call('GET', `/api/v1/systems?prefix=${web.fp.slice(0, 8)}`);

  expect(found.body).toMatchObject({ items: [{ fp: web.fp, zone: 'emea' }] });
  expect((await world.call('GET', `/api/v1/systems?prefix=${web.fp.slice(0, 8)}&zone=default`)).body).toEqual({ items: [] });
});
