import type { ClusterIdOf, IdPath } from '../../../../lib/uyuni/merge/ids.ts';
import { defaultLimits, type MergeLimits } from '../../../../lib/uyuni/merge/limits.ts';
import { AnswerRefused } from '../../../../lib/uyuni/merge/refusal.ts';
import type { ScanOptions } from '../../../../lib/uyuni/merge/scan/options.ts';
import { Scanner } from '../../../../lib/uyuni/merge/scan/scanner.ts';

/** A text as a value, as it is written here. */
export const string = (inner: string): string => `<value><string>${inner}</string></value>`;
/** Where a list of systems has their ids. */
export const systems: readonly IdPath[] = [{ kind: 'system', path: '[].id' }];
/** Ids of the cluster; some are not known. */
export const plus: ClusterIdOf = (_, localId) => (localId % 7 === 3 ? undefined : localId + 500_000_000);

/** What a scanner made of an answer. */
export type Scanned = {
  readonly kept: string;
  readonly shape: string | undefined;
  readonly refused?: string;
  readonly elements: number;
  readonly leftOut: number;
};

/** What is kept of an answer that comes in these parts, and why it is refused. */
export function scan(
  parts: Iterable<Uint8Array>,
  options: Partial<Omit<ScanOptions, 'limits'>> & { limits?: Partial<MergeLimits> } = {},
): Scanned {
  const limits = { ...defaultLimits, ...options.limits };
  const scanner = new Scanner({ ids: systems, clusterIdOf: plus, unknown: 'leave-out', mayBeSingle: true, ...options, limits });
  const kept: Uint8Array[] = [];
  let refused: string | undefined;
  try {
    for (const part of parts) {
      scanner.push(part);
      kept.push(scanner.take() ?? Buffer.alloc(0));
    }
    scanner.end();
  } catch (error) {
    if (!(error instanceof AnswerRefused)) throw error;
    refused = `${error.code}: ${error.message}`;
  }
  kept.push(scanner.take() ?? Buffer.alloc(0));
  return { kept: Buffer.concat(kept).toString(), shape: scanner.shape, ...(refused !== undefined && { refused }), ...scanner.counts };
}
/** A document that comes in one part. */
export const whole = (document: string, options: Parameters<typeof scan>[1] = {}): Scanned => scan([Buffer.from(document)], options);
/** A document of which each byte comes by itself. */
export const everyByte = (document: string, options: Parameters<typeof scan>[1] = {}): Scanned =>
  scan(
    Array.from(Buffer.from(document), (byte) => Buffer.from([byte])),
    options,
  );
