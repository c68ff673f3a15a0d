import { expect, it } from 'vitest';
import { pathOf } from '../../lib/api/client.ts';
import { enterRoutes } from '../../lib/uyuni/enter/routes.ts';
import { enterHref, systemPath } from '../../ui/node/enter-link.tsx';

it('a link that opens a page of a server asks for the document that leads there, as the API takes it', () => {
  const { pathname, searchParams } = new URL(enterHref('n6b86b273ff34fce1', systemPath(1_000_010_000)), 'https://muster.acme.org');
  expect(pathname).toBe(pathOf(enterRoutes.enterByForm, { id: 'n6b86b273ff34fce1' }));
  expect(enterRoutes.enterByForm.query?.parse(Object.fromEntries(searchParams))).toEqual({
    path: '/rhn/systems/details/Overview.do?sid=1000010000',
  });
  expect(enterHref('n6b86b273ff34fce1')).toBe('/api/v1/nodes/n6b86b273ff34fce1/enter');
});
