import * as z from 'zod';

/** The highest number that an endpoint's last segment may have. */
export const segmentMax = 65_535;

const form = /^(0@lo|[A-Za-z0-9][A-Za-z0-9.:-]*@(?:tcp|o2ib)\d{0,3}):(\d{1,10}):(\d{1,10}):(\d{1,10})$/;

/**
 * The address that a Mero process listens on: the network's address, the process number 12345, the portal, and a number
 * of its own.
 */
export type EndpointParts = { readonly lnid: string; readonly portal: number; readonly segment: number };

/** The parts of an endpoint such as `10.0.0.1@tcp:12345:41:301`; undefined if the text is none. */
export function endpointParts(text: string): EndpointParts | undefined {
  const [, lnid, process, portal, segment] = form.exec(text) ?? [];
  if (lnid === undefined || process !== '12345') return undefined;
  const parts = { lnid, portal: Number(portal), segment: Number(segment) };
  return parts.portal <= segmentMax && parts.segment <= segmentMax ? parts : undefined;
}

/** The text of an endpoint. */
export const endpointOf = ({ lnid, portal, segment }: EndpointParts): string => `${lnid}:12345:${portal}:${segment}`;

/** An endpoint in range. */
export const Endpoint = z
  .string()
  .max(300)
  .refine(
    (text) => endpointParts(text) !== undefined,
    'not an endpoint such as 10.0.0.1@tcp:12345:41:301: an address on tcp or o2ib, or 0@lo, then 12345, and two numbers of at most 65535',
  );
