import type { Range } from './query.ts';

/** What a value is not, and what is expected. `meant`: the value as it was perhaps meant. */
export type Slip = { readonly problem: string; readonly expected: string; readonly meant?: string | undefined };

/**
 * Where a written value lies: from one number to another, as a day does among moments; both are the same for a number.
 * An age counts backwards: what is more than 7 days old came before that moment.
 */
export type Point = { readonly from: number; readonly to: number; readonly isAge?: true };

/** How the values of a kind are read. `expected` says what to write. */
export type Scale = { readonly expected: string; read(text: string): Point | Slip };

/** Whether reading failed. */
export const isSlip = (read: object): read is Slip => 'problem' in read;

type Comparison = '>' | '<' | '>=' | '<=';
type End = { readonly by: Comparison | undefined; readonly text: string };

/**
 * Reads `4`, `>4`, `4..8`, and ends that are left out (`4..`) or open (`>4..<8`). Both ends of `a..b` are included; a
 * day or a month is included as a whole.
 */
export function readRange(text: string, scale: Scale): Range | Slip {
  const swapped = /^=([<>])(.*)$/.exec(text) ?? /^()=+(.*)$/.exec(text);
  if (swapped) {
    const [, sign = '', value = ''] = swapped;
    return { problem: `${text} is no comparison`, expected: scale.expected, meant: sign === '' ? value : `${sign}=${value}` };
  }
  const [first = '', second, ...more] = text.split('..');
  if (second === undefined) return readBound(endOf(first), undefined, scale);
  if (more.length > 0 || first + second === '') return { problem: `${text} is no range`, expected: scale.expected };
  return readBoth(endOf(first), endOf(second), scale);
}

function endOf(text: string): End {
  const length = /^[<>]=/.test(text) ? 2 : /^[<>]/.test(text) ? 1 : 0;
  const sign = text.slice(0, length);
  return { by: isComparison(sign) ? sign : undefined, text: text.slice(length) };
}

const isComparison = (text: string): text is Comparison => ['>', '<', '>=', '<='].includes(text);

function readBoth(first: End, second: End, scale: Scale): Range | Slip {
  if (second.text === '') return readBound(first, '>=', scale);
  if (first.text === '') return readBound(second, '<=', scale);
  const low = readBound(first, '>=', scale);
  if (isSlip(low)) return low;
  const high = readBound(second, '<=', scale);
  if (isSlip(high)) return high;
  const text = `${first.by ?? ''}${first.text}..${second.by ?? ''}${second.text}`;
  if ((low.from !== undefined && high.from !== undefined) || (low.to !== undefined && high.to !== undefined))
    return { problem: `${text} has two ends on the same side`, expected: scale.expected };
  const both = { ...low, ...high };
  if ((both.from ?? 0) <= (both.to ?? 0)) return both;
  const isPlain = first.by === undefined && second.by === undefined;
  return {
    problem: `${text} ends before it begins`,
    expected: scale.expected,
    meant: isPlain ? `${second.text}..${first.text}` : undefined,
  };
}

/** The range on one side of a value, or the value itself. `otherwise`: the comparison where none is written. */
function readBound({ by, text }: End, otherwise: Comparison | undefined, scale: Scale): Range | Slip {
  const point = scale.read(text);
  if (isSlip(point)) return point.meant === undefined ? point : { ...point, meant: (by ?? '') + point.meant };
  const comparison = by ?? otherwise;
  if (!point.isAge) return bound(comparison, point);
  if (comparison) return bound(backwards[comparison], point);
  return { problem: `${text} is an age without a comparison`, expected: scale.expected, meant: `<${text}` };
}

const backwards = { '>': '<', '<': '>', '>=': '<=', '<=': '>=' } as const;

function bound(by: Comparison | undefined, { from, to }: Point): Range {
  switch (by) {
    case undefined:
      return { is: 'range', from, to };
    case '>=':
      return { is: 'range', from };
    case '<=':
      return { is: 'range', to };
    case '<':
      return { is: 'range', to: from, toOpen: true };
    case '>':
      return from === to ? { is: 'range', from, fromOpen: true } : { is: 'range', from: to + 1 };
  }
}

/** A range as it is written, with its numbers as texts. What it gives is read as the same range again. */
export function rangeText({ from, to, fromOpen, toOpen }: Range, textOf: (value: number) => string): string {
  if (from === undefined) return to === undefined ? '*' : `${toOpen ? '<' : '<='}${textOf(to)}`;
  if (to === undefined) return `${fromOpen ? '>' : '>='}${textOf(from)}`;
  if (from === to && !fromOpen && !toOpen) return textOf(from);
  return `${fromOpen ? '>' : ''}${textOf(from)}..${toOpen ? '<' : ''}${textOf(to)}`;
}
