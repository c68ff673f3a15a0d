import * as z from 'zod';
import { MusterError } from '../../lib/core/errors.ts';
import { DeploymentName } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { type Attributes, attributesOf, rowOf } from '../../lib/ports/table/attributes.ts';
import { inOrder, parseAttributes, printAttributes } from '../../lib/ports/table/json.ts';
import type { FeedImage, Row } from '../../lib/ports/table/table.ts';
import type { WaitingMessage } from '../../lib/ports/table/whole.ts';

/** The version of the format that is written and read here. */
export const formatVersion = 1;

const count = z.int().nonnegative();
const offset = z.string().regex(/^\d{1,15}$/);

/** The first line of a file: the deployment, the time, and the numbers of the entries that follow. */
export const Header = z.strictObject({
  muster: z.literal('export'),
  version: z.literal(formatVersion),
  /**
   * The name that machines sign for and that events name as their source. An import sets it, so that machines and rules
   * need not learn another.
   */
  deployment: DeploymentName,
  /** When the export began, in ISO 8601. */
  at: z.iso.datetime(),
  rows: count,
  /** Rows by the first part of their partition key, for people. */
  kinds: z.record(z.string(), count),
  images: count,
  messages: count,
  feedLast: offset.optional(),
});
export type Header = z.infer<typeof Header>;

const Message = z.strictObject({
  queue: z.enum(['heartbeats', 'reports', 'sweeps', 'webhooks']),
  body: z.string().min(1),
  via: z.enum(['door', 'bus']),
  sentAt: EpochMs,
  visibleAt: EpochMs,
  receives: count,
  letter: z.strictObject({ id: z.string(), attempt: count, via: z.enum(['door', 'bus']), sentAt: EpochMs }).optional(),
});

const StoredRow = z.looseObject({
  pk: z.string().min(1),
  sk: z.string().min(1),
  rev: z.int().positive(),
  at: EpochMs,
  by: z.string(),
  because: z.string(),
  seq: count,
});

/** The content of a line between the first and the last. */
export type Entry =
  | { readonly is: 'image'; readonly image: FeedImage }
  | { readonly is: 'row'; readonly row: Row }
  | { readonly is: 'message'; readonly message: WaitingMessage };

/** The line of a header, without the line feed that ends it. */
export const printHeader = (header: Header): string => JSON.stringify(header);

/** The line of one entry. Equal entries give equal lines, whichever table they were read from. */
export function printEntry(entry: Entry): string {
  if (entry.is === 'row') return `{"row":${printRow(entry.row)}}`;
  if (entry.is === 'image') return `{"image":${JSON.stringify(entry.image.offset)},"row":${printRow(entry.image.row)}}`;
  return `{"message":${JSON.stringify(inOrder(entry.message as unknown as Attributes))}}`;
}

/** A row without its places in the indexes and in the feed: the table that stores it derives them from the content. */
function printRow(row: Row): string {
  const { emits: _emits, due: _due, ttl: _ttl, ...attributes } = attributesOf(row, row.rev);
  return printAttributes(inOrder(attributes));
}

/** The last line: how many lines precede it, and the SHA-256 of all their bytes. */
export const printEnd = (lines: number, sha256: string): string => `{"end":${lines},"sha256":"${sha256}"}`;

/**
 * The header in the first line. Throws a MusterError `export.unreadable`, or `export.newer` for a version that is not
 * known here.
 */
export function parseHeader(text: string): Header {
  const json = jsonIn(text, 1) as { muster?: unknown; version?: unknown } | null;
  if (json?.muster === 'export' && typeof json.version === 'number' && json.version > formatVersion)
    throw new MusterError(
      'export.newer',
      `the file has version ${json.version}, and this Muster reads up to version ${formatVersion}: use a newer Muster`,
      'never',
    );
  const read = Header.safeParse(json);
  if (!read.success) throw unreadable(1, 'it is no header of an export');
  return read.data;
}

/** The entry in a line. Throws a MusterError `export.unreadable` that names the line. */
export function parseEntry(text: string, line: number): Entry {
  const json = jsonIn(text, line) as { row?: unknown; image?: unknown; message?: unknown } | null;
  if (json?.message !== undefined) {
    const read = Message.safeParse(json.message);
    if (!read.success) throw unreadable(line, 'it holds no message of a queue');
    return { is: 'message', message: read.data as WaitingMessage };
  }
  if (!StoredRow.safeParse(json?.row).success) throw unreadable(line, 'it holds no row');
  const row = rowOf((parseAttributes(text) as { row: Attributes }).row);
  if (json?.image === undefined) return { is: 'row', row };
  const read = offset.safeParse(json.image);
  if (!read.success) throw unreadable(line, 'it holds no offset of the feed');
  return { is: 'image', image: { offset: read.data, row } };
}

function jsonIn(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(line, 'it is no JSON', error);
  }
}

const unreadable = (line: number, why: string, cause?: unknown): MusterError =>
  new MusterError('export.unreadable', `line ${line} of the file cannot be read: ${why}`, 'never', { cause });

/** A moment as a header has it. */
export const isoTimeOf = (at: EpochMs): string => new Date(at).toISOString();
