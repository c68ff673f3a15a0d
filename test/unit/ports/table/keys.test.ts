import { expect, it } from 'vitest';
import { keyOf } from '../../../../lib/ports/table/keys.ts';

it('encodes every part of a key as a URI does, so that no name crosses into another item type', () => {
  const signs = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));
  for (const name of [...signs, ...signs.map((sign) => `a${sign}b`), 'a\n', '🙂', ''])
    expect(keyOf({ noun: 'node', id: name }).pk).toBe(`node#${encodeURIComponent(name)}`);
});
