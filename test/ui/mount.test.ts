import { describe, expect, it } from 'vitest';
import { mount, mountOf } from '../../ui/mount.ts';

describe('where the page is shown', () => {
  it('is Muster itself, or a server of one of its nodes', () => {
    expect(['/ui/', '/ui', '/', '/ui/muster/ui/', '/musters/ui/', '/muster/uis'].map(mountOf)).toEqual(Array(6).fill(''));
    expect(['/muster/ui', '/muster/ui/', '/muster/ui/nodes/n1'].map(mountOf)).toEqual(Array(3).fill('/muster'));
    expect(mount).toBe('');
  });
});
