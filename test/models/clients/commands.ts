import fc from 'fast-check';
import { type Client, pooledForMs, seenEveryMs } from '../../../lib/clients/client.ts';
import type { ClientCommand, KnockFacts } from '../../../lib/clients/rows/command.ts';
import type { Fqdn, ZoneName } from '../../../lib/core/ids.ts';
import { dayMs, hourMs } from '../../../lib/core/time.ts';
import { aKnock, fpOf, nodeId } from '../../../tools/support/builders.ts';
import { endsInSomeOrder } from '../at-once.ts';
import { command, keeps, same } from '../model.ts';
import { clientLaws, type Remembered, statusOf } from './model.ts';
import type { ClientReal } from './real.ts';

type Command = fc.AsyncCommand<Remembered, ClientReal>;
type Wish = (model: Remembered) => ClientCommand;

const knock = fc
  .record({ fqdn: fc.constantFrom('web1.acme.org', 'web2.acme.org'), minion: fc.constantFrom(undefined, 'm1', 'm2'), os: fc.boolean() })
  .map(
    ({ fqdn, minion, os }): Wish =>
      () => {
        const who = aKnock({
          fqdn: fqdn as Fqdn,
          facts: os ? { os: 'sles' } : {},
          ...(minion && { minion: { id: 'web', fingerprint: fpOf(minion) } }),
        });
        // No other key claims what it does.
        return { type: 'knock', id: '', who, others: { 'machine-id': [], 'system-name': [] } };
      },
  );
const index = fc.nat(2);
const tell = index.map(
  (at): Wish =>
    ({ nodes }) => ({ type: 'tell', id: '', index: at, node: nodeId(at + 1), generation: nodes[at]!.generation }),
);
/** Mostly of the place that it was told. */
const confirm = fc.constantFrom(0, 0, 0, 1).map(
  (off): Wish =>
    ({ told }) => ({ type: 'confirm', id: '', index: told?.index ?? 0, generation: (told?.generation ?? 1) + off, by: 'daemon' }),
);
const accept: Wish = () => ({ type: 'accept', id: '', zone: 'default' as ZoneName, tags: ['web'], groups: [] });
const plain = fc.constantFrom<Wish>(
  accept,
  accept,
  () => ({ type: 'seen', id: '' }),
  () => ({ type: 'edit', id: '', tags: ['db'] }),
);
const revoke = fc.constantFrom<Wish>(
  () => ({ type: 'unregister', id: '' }),
  () => ({ type: 'unregister', id: '' }),
  () => ({ type: 'ban', id: '' }),
);
const wish = fc.oneof(
  { weight: 4, arbitrary: knock },
  { weight: 4, arbitrary: tell },
  { weight: 4, arbitrary: confirm },
  { weight: 3, arbitrary: plain },
  { weight: 1, arbitrary: revoke },
);

/** What a command does to the model; whatever is asked of one that is banned does nothing. */
function expect(model: Remembered, asked: ClientCommand, before: Client | undefined, now: number): void {
  if (model.standing === 'banned') return;
  switch (asked.type) {
    case 'knock':
      if (model.standing === 'absent') Object.assign(model, { standing: 'pooled', firstSeenAt: now });
      if (saysNew(asked.who, before) || isSeen(before, now)) model.until = now + pooledForMs;
      return;
    case 'seen':
      if (isSeen(before, now)) model.until = now + pooledForMs;
      return;
    case 'accept':
      if (model.standing === 'pooled') model.standing = 'accepted';
      return;
    case 'tell':
      if (model.standing === 'accepted' && !isThere(model, asked)) model.told = { ...placeOf(asked), isConfirmed: false };
      return;
    case 'confirm':
      if (isThere(model, asked)) model.told = { ...placeOf(asked), isConfirmed: true };
      return;
    case 'unregister':
    case 'ban':
      revoked(model, asked.type);
  }
}

const placeOf = ({ index: at, generation }: { index: number; generation: number }) => ({ index: at, generation });
const isThere = ({ told }: Remembered, place: { index: number; generation: number }): boolean =>
  told?.index === place.index && told.generation === place.generation;
const isSeen = (before: Client | undefined, now: number): boolean => now - (before?.seenAt ?? 0) >= seenEveryMs;
const saysNew = ({ fqdn, facts, minion }: KnockFacts, before: Client | undefined): boolean =>
  before?.fqdn !== fqdn ||
  JSON.stringify(before.facts) !== JSON.stringify(facts) ||
  (minion !== undefined && before.minion?.fingerprint !== minion.fingerprint);

/** Its tokens are as none, if it had a place or is banned. */
function revoked(model: Remembered, type: 'ban' | 'unregister'): void {
  if (type === 'ban' || model.told) for (const each of model.tokens) each.isRevoked = true;
  if (type === 'ban' && model.standing !== 'absent') model.standing = 'banned';
  model.told = undefined;
}

/** After every step the laws hold, and an accepted client has a new token now and then. */
async function settle(model: Remembered, real: ClientReal, mints: boolean): Promise<void> {
  const now = real.row.shell.now();
  if (model.standing === 'pooled' && model.until <= now) Object.assign(model, { standing: 'absent', firstSeenAt: undefined });
  const token = mints ? await real.token(real.zone(model.nodes, model.owner)) : undefined;
  if (token) model.tokens.push({ token, isRevoked: false });
  keeps(clientLaws, { model, real, before: model.status });
  model.status = statusOf(model);
}

async function ask(model: Remembered, real: ClientReal, asked: ClientCommand): Promise<void> {
  const before = real.row.state;
  await real.ask(asked)();
  expect(model, asked, before, real.row.shell.now());
  await settle(model, real, asked.type !== 'unregister' && asked.type !== 'ban');
  const rev = real.row.row?.rev;
  if (asked.type === 'edit') return;
  await real.ask({ ...asked, id: real.row.newId() })();
  same(real.row.row?.rev, rev, 'what is asked again changes nothing');
}

/** Everything that can happen to a client system, and to the zone it is in. */
export const clientCommands: readonly fc.Arbitrary<Command>[] = [
  ...[wish, wish].map((one) =>
    one.map((wished) => {
      const name = JSON.stringify(wished({ nodes: Array(3).fill({ generation: 0 }) } as unknown as Remembered));
      return command<Remembered, ClientReal>(name, (model, real) => ask(model, real, { ...wished(model), id: real.row.newId() }));
    }),
  ),
  fc.constantFrom(100, 100, 1_000, hourMs, 2 * dayMs, 6 * dayMs, 31 * dayMs).map((ms) =>
    command(`wait ${ms}`, async (model, real) => {
      real.row.shell.step(ms);
      await settle(model, real, false);
    }),
  ),
  fc
    .tuple(index, fc.constantFrom('up', 'suspect', 'draining', 'held', 'down', 'dropped', 'quarantined', 'as new' as const))
    .map(([at, standing]) =>
      command(`node ${at} is ${standing}`, async (model, real) => {
        const { generation } = model.nodes[at]!;
        model.nodes[at] = standing === 'as new' ? { standing: 'up', generation: generation + 1 } : { standing, generation };
        await settle(model, real, false);
      }),
    ),
  index.map((at) =>
    command(`its slot goes to node ${at}`, async (model, real) => {
      model.owner = at;
      await settle(model, real, false);
    }),
  ),
  fc.tuple(wish, wish).map(([one, other]) =>
    command('two at once', async (model, real) => {
      const [first, second] = [one, other].map((wished) => ({ ...wished(model), id: real.row.newId() })) as [ClientCommand, ClientCommand];
      await endsInSomeOrder(real.row.shell, real.ask(first), real.ask(second));
    }),
  ),
];
