import { describe, expect, it } from 'vitest';
import { hrefOf, paramsOf, placeOf } from '../../ui/router.tsx';

describe('addresses of the page', () => {
  it('have a path below /ui and a search', () => {
    expect(placeOf({ pathname: '/ui/nodes/n1/', search: '?do=drop&x=' })).toEqual({ path: '/nodes/n1', search: { do: 'drop', x: '' } });
    expect(placeOf({ pathname: '/ui', search: '' })).toEqual({ path: '/', search: {} });
  });

  it('are made without what is undefined or empty, and read back as they were', () => {
    const search = { q: 'tag:db and web*', zone: undefined, node: '' };
    expect(hrefOf('/systems', search)).toBe('/ui/systems?q=tag%3Adb+and+web*');
    const { pathname, search: text } = new URL(hrefOf('/systems', search), 'http://localhost');
    expect(placeOf({ pathname, search: text })).toEqual({ path: '/systems', search: { q: 'tag:db and web*' } });
  });

  it('give their parameters by a pattern, and nothing for another form', () => {
    expect(paramsOf('/nodes/:id', '/nodes/a%20b')).toEqual({ id: 'a b' });
    expect(paramsOf('/nodes/:id', '/nodes')).toBeUndefined();
    expect(paramsOf('/nodes/:id', '/zones/a')).toBeUndefined();
    expect(paramsOf('/', '/')).toEqual({});
  });

  it('take a part that nobody can decode as it is', () => {
    expect(paramsOf('/nodes/:id', '/nodes/%E0%A4%A')).toEqual({ id: '%E0%A4%A' });
  });
});
