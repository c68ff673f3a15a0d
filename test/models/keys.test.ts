import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Client } from '../../lib/clients/client.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { dayMs } from '../../lib/core/time.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { nameOf } from '../../lib/ports/table/table.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';
import { minionKeyOf, minionOf } from '../../tools/support/minion-keys.ts';
import { keyPairOf } from '../../tools/support/signing.ts';
import { aDeployment, type Deployment } from '../support/deployment.ts';
import { always, command, findsFault, keeps, law, type Model } from './model.ts';

const daemons = ['D', 'E', 'F'].map(keyPairOf);
const minions = ['A', 'B'].map((name) => ({ name, ...minionKeyOf(name) }));
/** Every key there is, by its fingerprint. */
const fps = [...daemons.map(({ publicKey }) => fingerprintOf(publicKey)), ...minions.map(({ fingerprint }) => fingerprint)];

/** Which row a fingerprint found, since when that is known, and the status byte that its call is answered with. */
type Found = { readonly fp: Fingerprint; readonly firstSeenAt: string; readonly status: string } | undefined;
type Remembered = {
  found: ReadonlyMap<Fingerprint, Found>;
  rows: readonly Client[];
  readonly banned: Set<Fingerprint>;
  /** Minions' keys that two machines had at once: whom they find is only that it does not change. */
  readonly shared: Set<Fingerprint>;
};
type Real = { readonly shell: TestShell; readonly deployment: Deployment };
type Step = {
  readonly before: ReadonlyMap<Fingerprint, Found>;
  readonly found: ReadonlyMap<Fingerprint, Found>;
  readonly rows: readonly Client[];
  readonly banned: ReadonlySet<Fingerprint>;
  readonly shared: ReadonlySet<Fingerprint>;
};

const laws = [
  law<Step>('a machine that is known is found by its own key', ({ rows, found }) => rows.every(({ fp }) => found.get(fp)?.fp === fp)),
  law<Step>("a machine that is known is found by its minion's key, too", ({ rows, found, shared }) =>
    rows.every(({ fp, minion }) => !minion || shared.has(minion.fingerprint) || found.get(minion.fingerprint)?.fp === fp),
  ),
  law<Step>('whom a fingerprint finds never changes while that one is known', ({ before, found, rows }) =>
    [...before].every(([fp, one]) => {
      const isKnown = rows.some((row) => row.fp === one?.fp && new Date(row.firstSeenAt).toISOString() === one.firstSeenAt);
      return !one || !isKnown || found.get(fp)?.fp === one.fp;
    }),
  ),
  law<Step>('a banned key is deleted for ever, under both its fingerprints', ({ found, banned }) =>
    [...banned].every((fp) => found.get(fp)?.status === '3'),
  ),
];

async function foundBy({ deployment }: Real, fp: Fingerprint): Promise<Found> {
  const reply = await deployment.call('GET', `/api/v1/systems/${fp}`);
  if (reply.status === 404) return undefined;
  const view = JSON.parse(reply.body!) as { fp: Fingerprint; firstSeenAt: string };
  const status = await deployment.call('GET', `/system/status?fp=${fp}`);
  return { fp: view.fp, firstSeenAt: view.firstSeenAt, status: status.body! };
}

async function settle(model: Remembered, real: Real): Promise<void> {
  const found = new Map<Fingerprint, Found>();
  for (const fp of fps) found.set(fp, await foundBy(real, fp));
  const now = real.shell.now();
  const rows = fps.flatMap((id): Client[] => {
    const row = real.shell.table.rows.get(nameOf(keyOf({ noun: 'client', id })));
    const isKnown =
      row && (row.expiresAt === undefined || row.expiresAt > now) && (row.body as Client | { standing: 'alias' }).standing !== 'alias';
    return isKnown ? [row.body as Client] : [];
  });
  keeps(laws, { before: model.found, found, rows, banned: model.banned, shared: model.shared });
  Object.assign(model, { found, rows });
}

/** `wrap` may come between the world and the deployment's doors: a planted fault. */
const aModelOf = (wrap = (deployment: Deployment): Deployment => deployment): Model<Remembered, Real> => ({
  begin: () => {
    const shell = aShell({ zoneMaxAgeMs: 0 });
    return {
      model: { found: new Map(), rows: [], banned: new Set(), shared: new Set() },
      real: { shell, deployment: wrap(aDeployment(shell)) },
    };
  },
  commands: [
    ...[1, 2].map(() =>
      fc.tuple(fc.constantFrom(...daemons), fc.constantFrom(undefined, ...minions)).map(([pair, minion]) => {
        const { publicKey } = pair;
        const fp = fingerprintOf(publicKey);
        const said = `daemon ${fps.indexOf(fp)} knocks${minion ? ` with minion ${minion.name}` : ''}`;
        return command<Remembered, Real>(said, async (model, real) => {
          const key = minion?.fingerprint;
          const others = model.rows.filter((row) => row.fp !== fp);
          if (key && others.some((row) => row.minion?.fingerprint === key || row.fp === model.found.get(key)?.fp)) model.shared.add(key);
          const known = { publicKey, fqdn: 'web1.acme.org', machineId: 'm', ...(minion && { minion: minionOf('web', minion, fp) }) };
          await real.deployment.call('POST', '/system/knock', known, pair);
          await settle(model, real);
        });
      }),
    ),
    fc.tuple(fc.constantFrom(...fps), fc.constantFrom('accept', 'accept', 'unregister', 'ban')).map(([fp, what]) =>
      command(`${what} ${fps.indexOf(fp)}`, async (model, real) => {
        const one = model.found.get(fp);
        await real.deployment.call('POST', `/api/v1/systems/${what}`, { systems: [fp] });
        if (what === 'ban' && one) for (const [alias, to] of model.found) if (to?.fp === one.fp) model.banned.add(alias);
        await settle(model, real);
      }),
    ),
    fc.constantFrom(1, 20, 31).map((days) =>
      command(`${days} days pass`, async (model, real) => {
        real.shell.step(days * dayMs);
        await real.shell.table.removeExpired(real.shell.now(), 100);
        await settle(model, real);
      }),
    ),
  ],
});

describe("a machine's two keys", () => {
  it('keep their laws whoever knocks with which', () => always(aModelOf(), { numRuns: 40, maxCommands: 30 }), 600_000);

  it('are found out when a ban is of the daemon’s key alone', () =>
    findsFault(
      aModelOf((deployment) => ({
        ...deployment,
        call: async (method, path, body, by) => {
          const reply = await deployment.call(method, path, body, by);
          const isMinion = fps.slice(daemons.length).some((fp) => path === `/system/status?fp=${fp}`);
          return isMinion && reply.body === '3' ? { ...reply, body: '0' } : reply;
        },
      })),
      'a banned key is deleted for ever',
    ));
});
