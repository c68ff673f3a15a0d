import type { Slip } from './range.ts';

/**
 * A fingerprint, or globs of it, as it is stored: 64 hex digits in lower case without colons. Fewer are its beginning.
 */
export function readFingerprint(text: string): string | Slip {
  const digits = text.toLowerCase().replaceAll(':', '');
  if (!/^[0-9a-f*?]+$/.test(digits) || digits.replaceAll('*', '').length > 64)
    return { problem: `${text} is no fingerprint`, expected: 'up to 64 hex digits, with or without colons' };
  return /[*?]/.test(digits) || digits.length === 64 ? digits : `${digits}*`;
}

/**
 * A MAC address, or globs of it, as it is stored: pairs of hex digits in lower case with colons. It may be written with
 * hyphens (`52-54-00-*`), as Cisco does (`5254.00ab.cdef`), or without either.
 */
export function readMac(text: string): string | Slip {
  const small = text.toLowerCase();
  const isPaired = /[:-]/.test(small);
  const pairs = isPaired ? small.replaceAll('-', ':') : small.replaceAll('.', '').replace(/[0-9a-f?]{2}(?=[0-9a-f*?])/g, '$&:');
  const digits = pairs.replaceAll(':', '');
  const isWhole = digits.includes('*') || digits.length === 12;
  if (/^[0-9a-f*?]+$/.test(digits) && digits.replaceAll('*', '').length <= 12 && isWhole && (isPaired || /^[^*]*\*?$/.test(digits)))
    return pairs;
  return { problem: `${text} is no MAC address`, expected: '12 hex digits such as 52:54:00:ab:cd:ef, or their beginning and a star' };
}
