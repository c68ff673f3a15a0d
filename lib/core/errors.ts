/** What an unexpected failure means for the message or call that met it. */
export type Retry = 'later' | 'never';

/** Something we did not expect: a code for machines, a sentence for people, and whether trying again can help. */
export class MusterError extends Error {
  override readonly name: string = 'MusterError';
  readonly code: string;
  readonly retry: Retry;

  constructor(code: string, message: string, retry: Retry, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.retry = retry;
  }
}

/**
 * Transient: busy rows, throttling, a service that does not answer. The message goes back to its queue, the caller gets
 * 503.
 */
export class Later extends MusterError {
  override readonly name = 'Later';
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, 'later', options);
  }
}

/** Poison: input that can never succeed. It becomes a `dead#` row with its reason and is acknowledged. */
export class Poison extends MusterError {
  override readonly name = 'Poison';
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, 'never', options);
  }
}

/** A row moved since it was read; read again and decide again. Names the row that refused. */
export class Conflict extends MusterError {
  override readonly name = 'Conflict';
  readonly row: string;
  constructor(row: string, message: string, options?: ErrorOptions) {
    super('table.conflict', message, 'later', options);
    this.row = row;
  }
}
