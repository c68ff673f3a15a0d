import { describe, expect, it } from 'vitest';
import { atMoments, clockText, momentText } from '../../ui/kit/time.ts';

describe('a reason that names moments', () => {
  it('is cut at each of them, whole or to the millisecond, and at nothing else', () => {
    const [first, second] = ['2026-11-28T10:44:05.639Z', '2026-11-29T00:00:00Z'];
    expect(atMoments(`they wait until ${first}, and until ${second} at the latest`)).toEqual([
      'they wait until ',
      first,
      ', and until ',
      second,
      ' at the latest',
    ]);
    for (const text of [
      '2026-02-30T10:00:00Z',
      'at 2026-13-45T25:61:00Z',
      '2026-11-28T24:00:01Z',
      'its agent runs',
      'version 2026-11-28 of 10:44:05',
      'x2026-11-29T00:00:00Z',
      '',
    ])
      expect(atMoments(text)).toEqual([text]);
  });

  it('shows the time of day today, and the date with it on another day, by the clock of the reader', () => {
    const noon = new Date(2026, 10, 28, 12).getTime();
    expect(clockText(new Date(2026, 10, 28, 9, 5, 7).toISOString(), noon)).toBe('09:05:07');
    const other = new Date(2026, 10, 27, 9, 5, 7).toISOString();
    expect(clockText(other, noon)).toBe('27/11/2026, 09:05:07');
    expect(momentText(other)).toBe('27/11/2026, 09:05:07');
  });
});
