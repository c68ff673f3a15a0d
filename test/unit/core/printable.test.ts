import { describe, expect, it } from 'vitest';
import { printable, printableValue } from '../../../lib/core/printable.ts';
import { json } from '../../../programs/cli/output/json.ts';

/** Of each kind that a terminal obeys or that reorders a line; the last lies beyond 16 bits. */
const odd = ['\u0007', '\u001b', '\u0085', '\u009b', '\u200f', '\u202e', '\u2066', '\u2028', '\u{e0041}'];

describe('text that a machine sent', () => {
  it('shows by their codes what moves, reorders or hides, and leaves every letter', () => {
    expect(printable(`a${odd.join('')}é中😀`)).toBe('a\\u{7}\\u{1b}\\u{85}\\u{9b}\\u{200f}\\u{202e}\\u{2066}\\u{2028}\\u{e0041}é中😀');
  });
  it('is so in a line of a log, wherever it is', () => {
    const line = JSON.stringify({ detail: `a\u202eb\u009b`, n: 1, in: { deep: ['\u0085'] } }, printableValue);
    expect(JSON.parse(line)).toEqual({ detail: 'a\\u{202e}b\\u{9b}', n: 1, in: { deep: ['\\u{85}'] } });
  });
  it('is escaped in JSON, and is the same when it is read', () => {
    const text = json(odd);
    expect(text).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(text)).toEqual(odd);
  });
});
