import { nearest } from '../../core/nearest.ts';
import type { Scale } from './range.ts';

/** Digits of a number before and behind the point, few enough that it is printed without an exponent. */
const written = /^-?\d{1,16}(\.\d{1,6})?$/;

/** Whether a text is a number as queries write it. */
export const isNumber = (text: string): boolean => written.test(text) && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;

/** Numbers: `8`, `2.5`. */
export const numbers: Scale = {
  expected: 'a number such as 8, >=4 or 2..8',
  read(text) {
    // Adding 0 makes the zero of `-0` the ordinary one.
    if (isNumber(text)) return { from: Number(text) + 0, to: Number(text) + 0 };
    return { problem: text === '' ? 'a number is missing' : `${text} is no number`, expected: this.expected };
  },
};

const binary = { TiB: 1_024 ** 4, GiB: 1_024 ** 3, MiB: 1_024 ** 2, KiB: 1_024 } as const;
const units: ReadonlyMap<string, number> = new Map<string, number>([
  ...Object.entries(binary),
  ...Object.entries({ TB: 1_000 ** 4, GB: 1_000 ** 3, MB: 1_000 ** 2, kB: 1_000, B: 1, '': 1 }),
]);

/** Sizes in bytes: `16GiB`, `500MB`, `4096`. */
export const sizes: Scale = {
  expected: 'a size such as 16GiB, >=500MB or 4GiB..8GiB',
  read(text) {
    const [, number = '', unit = ''] = /^([^A-Za-z]*)(.*)$/s.exec(text) ?? [];
    const factor = units.get(unit);
    if (!isNumber(number) || number.startsWith('-'))
      return { problem: text === '' ? 'a size is missing' : `${text} is no size`, expected: this.expected };
    if (factor === undefined) {
      const meant = unitMeant(unit);
      return { problem: `there is no unit ${unit}`, expected: this.expected, meant: meant && number + meant };
    }
    const bytes = Math.round(Number(number) * factor);
    if (bytes > Number.MAX_SAFE_INTEGER) return { problem: `${text} is more than 8192 TiB`, expected: this.expected };
    return { from: bytes, to: bytes };
  },
};

/** `gib`, `G` and `Gi` are GiB: memory is made in powers of two. */
function unitMeant(unit: string): string | undefined {
  const small = unit.toLowerCase();
  const known = [...units.keys()].filter((one) => one !== '');
  const same =
    known.find((one) => one.toLowerCase() === small) ??
    known.find((one) => [one[0], one.slice(0, 2)].some((begin) => begin?.toLowerCase() === small));
  return same ?? (unit.length > 2 ? nearest(unit, known) : undefined);
}

/** A size in the largest unit of which it is a whole number. */
export function sizeText(bytes: number): string {
  const fitting = Object.entries(binary).find(([, factor]) => bytes > 0 && bytes % factor === 0);
  return fitting ? `${bytes / fitting[1]}${fitting[0]}` : String(bytes);
}
