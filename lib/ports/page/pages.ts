/** The encodings in which a file of the page is kept beside its plain bytes, the better one first. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** A file of the page, as a browser gets it. */
export type PageFile = {
  /** Its media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Its bytes in the encodings that make it smaller. */
  readonly encoded: Readonly<Partial<Record<Encoding, Uint8Array>>>;
  /** A tag of its plain bytes, without quotes. */
  readonly tag: string;
  /** Whether its content never changes under its name. */
  readonly isImmutable: boolean;
};

/** Where the files of the page come from. */
export interface Pages {
  /** All files, by their path below `/ui/`; one of them is `index.html`. */
  files(): Promise<ReadonlyMap<string, PageFile>>;
}
