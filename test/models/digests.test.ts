import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { NodeHeartbeat } from '../../events/reported/node.ts';
import { minuteMs, plusMs } from '../../lib/core/time.ts';
import { DigestRow, digestShows, decideDigest as productDecide, receivedAfter } from '../../lib/nodes/digests/digest.ts';
import { nodeId } from '../../tools/support/builders.ts';
import { aBeat } from '../unit/nodes/reports.ts';
import { always, command, findsFault, keeps, law, type Model, same } from './model.ts';
import { KeptRow } from './row.ts';

/** A digest as the node sent it: which of four client systems it saw, of which list. */
type Sent = { readonly at: number; readonly listVersion: number; readonly seen: readonly number[] };
/**
 * The digests of the node since they last came out of the order of their receipt, the newest last. One that shows
 * nothing new is not written, so that an older one that comes after it is believed until the next.
 */
type Remembered = { sent: Sent[]; beats: NodeHeartbeat[] };
type Step = { readonly row: DigestRow | undefined; readonly before: DigestRow | undefined; readonly sent: readonly Sent[] };

const clients = [0, 1, 2, 3];
const showsOf = ({ row }: Step, { listVersion }: Sent, client: number): boolean => digestShows(row, listVersion, client);

const laws = [
  law<Step>('a digest received earlier takes nothing back', ({ row, before }) => (row?.at ?? 0) >= (before?.at ?? 0)),
  law<Step>('the one before was received before', ({ row }) => !row?.before || row.before.at < row.at),
  law<Step>('a client that the newest digest shows is shown', (step) => {
    const newest = step.sent.at(-1);
    return !newest || clients.every((client) => !newest.seen.includes(client) || showsOf(step, newest, client));
  }),
  law<Step>('a client that two digests of a list do not show is not shown', (step) => {
    const [older, newest] = step.sent.slice(-2);
    if (!newest || older?.listVersion !== newest.listVersion) return true;
    return clients.every((client) => newest.seen.includes(client) || older.seen.includes(client) || !showsOf(step, newest, client));
  }),
  law<Step>('a digest speaks of a moment that is five minutes older, and of none that is newer', ({ row, sent }) => {
    const newest = sent.at(-1);
    if (!row || !newest) return true;
    const spoken = receivedAfter(row, plusMs(newest.at as never, -5 * minuteMs - 1));
    return spoken !== undefined && receivedAfter(row, newest.at as never) === undefined && row.at <= newest.at;
  }),
];

async function hear(model: Remembered, row: KeptRow<DigestRow>, beat: NodeHeartbeat, decide: typeof productDecide): Promise<void> {
  const before = row.state;
  const sent = decodeSent(beat);
  const isLate = model.beats.some((other) => other !== beat && other.receivedAt >= sent.at);
  if (isLate) model.sent = [];
  else if (sent.at !== model.sent.at(-1)?.at) model.sent.push(sent);
  await row.take({ ...beat, id: row.newId() }, decide);
  keeps(laws, { row: row.state, before, sent: model.sent });
  same((await row.take({ ...beat, id: row.newId() }, decide)).does, 'nothing', 'a digest that comes again changes nothing');
}

const decodeSent = ({ receivedAt, data }: NodeHeartbeat): Sent => {
  const [byte = 0] = Buffer.from(data.digest!.bits, 'base64');
  return { at: receivedAt, listVersion: data.digest!.listVersion, seen: clients.filter((client) => byte & (1 << client)) };
};

const aModelOf = (decide: typeof productDecide): Model<Remembered, KeptRow<DigestRow>> => ({
  begin: () => ({ model: { sent: [], beats: [] }, real: new KeptRow<DigestRow>({ noun: 'digest', id: nodeId(1) }, DigestRow) }),
  commands: [
    fc.constantFrom(1, 60_000, 60_000, 400_000).map((ms) => command(`wait ${ms}`, async (_model, row) => row.shell.step(ms))),
    fc
      .tuple(fc.constantFrom(0, 0, 0, 90_000), fc.constantFrom(1, 1, 2), fc.constantFrom(15, 15, 7, 6, 0))
      .map(([lateMs, listVersion, bits]) =>
        command(`digest ${bits.toString(2)} of list ${listVersion}, ${lateMs} ms late`, async (model, row) => {
          const digest = { listVersion, bits: Buffer.from([bits]).toString('base64') };
          const beat = aBeat({ receivedAt: plusMs(row.shell.now(), -lateMs), digest });
          model.beats.push(beat);
          await hear(model, row, beat, decide);
        }),
      ),
    fc.nat(20).map((n) =>
      command(`digest ${n} again`, async (model, row) => {
        const beat = model.beats[n % Math.max(1, model.beats.length)];
        if (beat) await hear(model, row, beat, decide);
      }),
    ),
  ],
});

describe("a node's digest", () => {
  it('keeps its laws in whatever order digests come', () => always(aModelOf(productDecide), { numRuns: 150 }));

  it('is found out when it believes an older digest', () =>
    findsFault(
      aModelOf((row, beat) => productDecide(row && beat.receivedAt < row.at ? { ...row, at: plusMs(beat.receivedAt, -1) } : row, beat)),
      'a digest received earlier takes nothing back',
    ));

  it('is found out when a digest that shows the same is never written again', () =>
    findsFault(
      aModelOf((row, beat) => {
        const decision = productDecide(row, beat);
        return decision.because === 'the node still sees the same clients' ? { does: 'nothing', because: 'the same' } : decision;
      }),
      'a digest speaks of a moment',
    ));
});
