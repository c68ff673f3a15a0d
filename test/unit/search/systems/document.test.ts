import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Client } from '../../../../lib/clients/client.ts';
import { EpochMs, plusMs } from '../../../../lib/core/time.ts';
import { documentOf, documentsVersion } from '../../../../lib/search/systems/document.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { aClient, assigned, fpOf } from '../../../../tools/support/builders.ts';

const facts = { os: 'SLES 15', ip: '10.1.2.3,fe80::1', mac: '52:54:00:00:00:01', kernel: '6.4', arch: 'x86_64', cpu: '8', ram: '1024' };
const clients: readonly Client[] = [
  aClient({
    ...{ facts, tags: ['db'], groups: ['eu'], told: assigned(1), acceptedBy: 'admin:joe@acme.org', silentSince: noon },
    pin: { index: 1, hard: false },
    clusterId: 1_500_000_017,
  }),
  aClient({ told: assigned(0, { confirmed: true }) }),
  aClient({ standing: 'pooled', minion: { id: 'salt-New1', fingerprint: fpOf('its key') } }),
  aClient({ standing: 'banned' }),
];

it('documents of a version are made in one way: a change of that, which this sum shows, raises the version', () => {
  const documents = clients.map((client, n) =>
    documentOf(client, { rev: n + 1, expiresAt: plusMs(EpochMs.parse(noon), n) }, new Map([['channels', { base: 'sles15' }]])),
  );
  const text = JSON.stringify(documents, (_key, value) => (value instanceof Map ? [...value].sort() : value));
  const sum = createHash('sha256').update(text).digest('hex').slice(0, 16);
  expect({ version: documentsVersion, sum }).toEqual({ version: 2, sum: '8e8f9ccc14f53ee8' });
});
