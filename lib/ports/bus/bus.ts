/** A conclusion on its way out: a CloudEvents 1.0 envelope; `id` is `<row>#<eventSeq>` and the same on every repeat. */
export type Envelope = {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly dataschema: string;
  readonly datacontenttype: 'application/json';
  /** Counts the events of the subject, so that gaps and repeats can be detected. */
  readonly eventseq: number;
  /** The reason of the commit. */
  readonly because: string;
  /** The actor, if any, as the history names it. */
  readonly who?: string;
  readonly data: object;
};

/**
 * Publishes at least once. Resolves when all are accepted; throws {@link Later} when any is not, after trying the rest,
 * and an `Unpublishable` (lib/ports/bus/limits.ts) for an event that never will be: too large, in which case none was
 * sent, or refused by the service for its content.
 */
export interface Bus {
  publish(events: readonly Envelope[]): Promise<void>;
}
