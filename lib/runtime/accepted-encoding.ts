import { type Encoding, encodings } from '../ports/page/pages.ts';

/**
 * The encoding of an answer for a caller that sends this `accept-encoding`, of those that are `on` offer; undefined for
 * the plain bytes. Brotli is preferred where it is accepted at all, because every caller that accepts it reads it as
 * fast (RFC 9110, 12.5.3).
 */
export function acceptedEncoding(header: string | undefined, on: readonly Encoding[] = encodings): Encoding | undefined {
  if (header === undefined || header === '') return undefined;
  const accepted = new Map(
    header
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', ...parameters] = one.split(';').map((part) => part.trim());
        return [name, !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))] as const;
      }),
  );
  return encodings.find((encoding) => on.includes(encoding) && accepted.get(encoding) === true);
}
