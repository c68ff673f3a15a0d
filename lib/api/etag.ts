/**
 * Whether `if-none-match` names this ETag. A weak one counts as well: it is how an answer that was
 * encoded on its way names the same version (RFC 9110, 8.8.1), and versions here are of fields, not of bytes.
 */
export const namesEtag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => one.trim() === '*' || strong(one.trim()) === etag) ?? false;

/** An ETag without the mark of a weak one. */
export const strong = (etag: string): string => etag.replace(/^W\//, '');
