import { describe, expect, it } from 'vitest';
import { published } from '../../../events/catalogue.ts';
import { isAtLeast, severe } from '../../../events/severity.ts';

describe('how much an event asks of people', () => {
  it('is said of events that there are', () => {
    expect(Object.keys(severe).filter((type) => !(type in published))).toEqual([]);
  });

  it('is nothing for what is not named, and never less than it is', () => {
    expect(['info', 'notice', 'alarm'].map((least) => isAtLeast('client.seen', least as 'info'))).toEqual([true, false, false]);
    expect(['info', 'notice', 'alarm'].map((least) => isAtLeast('zone.calm', least as 'info'))).toEqual([true, true, false]);
    expect(['info', 'notice', 'alarm'].map((least) => isAtLeast('node.lost', least as 'info'))).toEqual([true, true, true]);
  });
});
