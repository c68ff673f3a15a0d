import type { NodeHeartbeat } from '../../events/reported/node.ts';
import { type RowRef, write } from '../../lib/core/decision.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { type EpochMs, minuteMs, plusMs } from '../../lib/core/time.ts';
import { type DigestRow, decideDigest } from '../../lib/nodes/digests/digest.ts';
import { attributesOf } from '../../lib/ports/table/attributes.ts';
import { entrySize } from '../../lib/ports/table/meter.ts';
import { tableSchema } from '../../lib/ports/table/schema.ts';
import { itemSize, writeUnitsOf } from '../../lib/ports/table/size.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { pageSlots } from '../../lib/zones/map/rows/slots.ts';
import { countZone } from '../../lib/zones/tick/count.ts';
import { type Counts, defaultZone, type MapPage } from '../../lib/zones/zone.ts';
import { aShell, type TestShell } from '../support/a-shell.ts';
import { aClient, fpOf, noon } from '../support/builders.ts';
import { counting, type Usage } from './usage.ts';

/** The quantities that grow with the number of client systems or slots. */
export type Sizes = {
  /** Bytes that a client system and a node leave in the table and its indexes, history included. */
  readonly bytesPerClient: number;
  readonly bytesPerNode: number;
  /** Write units of a node's digest, by how many client systems its list holds. */
  readonly digestWrites: readonly { readonly clients: number; readonly writes: number }[];
  /** One step of counting an empty zone of so many slots: its whole, or an eighth of it. */
  readonly countSteps: readonly { readonly slots: number; readonly usage: Usage }[];
  /** Read units that a thousand client systems add to a count. */
  readonly countReadsPerThousand: number;
  /** Write units of a whole page of the map of a large zone. */
  readonly mapPageWrites: number;
  /**
   * The usage of a node's list of client systems in a version that differs from the one before, for each thousand on
   * it.
   */
  readonly listPerThousand: { readonly reads: number; readonly writes: number };
};

/** DynamoDB stores an item with 100 bytes of its own, and an index entry too. */
const overheadBytes = 100;

/** Bytes that rows take with their index entries, without nonces, which are gone after minutes. */
export function storedBytes(rows: Iterable<Row>): number {
  let bytes = 0;
  for (const row of rows) {
    if (/^(nonce|journal)#/.test(row.key.pk)) continue;
    const attributes = attributesOf(row, row.rev);
    const entries = tableSchema.indexes.map((index) => entrySize(index, attributes)).filter((size) => size > 0);
    bytes += itemSize(attributes) + overheadBytes + entries.reduce((sum, size) => sum + size + overheadBytes, 0);
  }
  return bytes;
}

/** All quantities that depend on size alone. */
export const measureSizes = async (): Promise<Omit<Sizes, 'bytesPerClient' | 'bytesPerNode' | 'listPerThousand'>> => ({
  digestWrites: [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000].map((clients) => ({
    clients,
    writes: digestWrites(clients),
  })),
  countSteps: await Promise.all([1_024, 4_096, 16_384, 65_536].map(async (slots) => ({ slots, usage: await countStep(slots, 0) }))),
  countReadsPerThousand: ((await countStep(1_024, 4_000)).reads - (await countStep(1_024, 0)).reads) / 4,
  mapPageWrites: mapPageWrites(),
});

/** Write units of a whole page of a zone's map. */
function mapPageWrites(): number {
  const page: MapPage = { version: 64, cells: new Uint8Array(pageSlots * 4) };
  const row = contentOf({ noun: 'map', id: `${defaultZone}/0` }, undefined, write<MapPage, never>(page, 'pages'), {
    by: 'pages',
    at: noon,
    exact: true,
  })!;
  return writeUnitsOf(itemSize(attributesOf(row, 1)), false);
}

/** Write units of a digest of so many client systems that differs from the one before. */
function digestWrites(clients: number): number {
  const heartbeatOf = (n: number): NodeHeartbeat => ({
    type: 'node.heartbeat',
    version: 1,
    id: '00000000-0000-4000-8000-000000000001',
    node: 'n0123456789abcdef' as NodeHeartbeat['node'],
    incarnation: 1,
    seq: n,
    receivedAt: plusMs(noon, n * minuteMs),
    intervalMs: 10_000,
    data: {
      load: { load1: 0.1, load5: 0.1, load15: 0.1, memoryUsedMib: 100, memoryMib: 4096, systems: clients },
      digest: { listVersion: 7, bits: Buffer.alloc(Math.ceil(clients / 8), n).toString('base64') },
    },
  });
  const first = decideDigest(undefined, heartbeatOf(1));
  const second = first.does === 'write' ? decideDigest(first.next, heartbeatOf(2)) : first;
  if (second.does !== 'write') throw new Error(`a digest of ${clients} client systems is not written: ${second.because}`);
  const cause = { by: heartbeatOf(2).id, at: heartbeatOf(2).receivedAt, exact: true };
  const row = contentOf(
    { noun: 'digest', id: heartbeatOf(2).node },
    undefined,
    write<DigestRow, never>(second.next, second.because),
    cause,
  )!;
  return writeUnitsOf(itemSize(attributesOf(row, 2)), false);
}

/**
 * A fingerprint that the second of eight steps of a count meets: the eighth to fifteenth of 64 partitions, by its top
 * six bits.
 */
const inSecondStep = (n: number): Fingerprint => `${(0x20 + (n % 32)).toString(16)}${fpOf(n).slice(2)}` as Fingerprint;

/** The usage of one step of counting a zone, with so many accepted client systems in its list. */
async function countStep(slots: number, clients: number): Promise<Usage> {
  const { shell, used } = counting(aShell());
  // More than 20,000 are counted in steps.
  const perSlot = new Uint8Array(slots * 2).fill(1);
  await storeDirectly(shell, { noun: 'counts', id: defaultZone }, { at: shell.now(), perSlot } satisfies Counts);
  for (let n = 0; n < clients; n++) {
    const fp = inSecondStep(n);
    await storeDirectly(shell, { noun: 'client', id: fp }, aClient({ fp }));
  }
  const step = () => used(1, () => countZone(shell, defaultZone));
  // The second step holds a running count beside the last one, as all but the first and the last do.
  await step();
  return (await step()).usage;
}

/** Stores a row without a decision, due from a moment on where one is given. */
export async function storeDirectly(shell: TestShell, ref: RowRef, body: object, wakeAt?: EpochMs): Promise<void> {
  const content = contentOf(ref, undefined, write(body, 'stored', { wakeAt }), { by: `stored-${ref.id}`, at: shell.now(), exact: true })!;
  await shell.table.commit([{ put: content, readRev: 0 }]);
}
