import { lockedHeader } from '../../../../lib/uyuni/api/common-writes.ts';
import { contentKinds } from '../../../../lib/uyuni/content/kinds.ts';
import { barScript } from './bar.ts';
import { html, page } from './html.ts';
import type { SiteAnswer, SiteRoute } from './route.ts';
import { plain } from './site.ts';
import { lockedText, type Standing, whoEdits } from './standing.ts';

/** The pages that the agent itself has on a server, by how the server stands at the moment. */
export const ownPages = (standing: () => Standing): readonly SiteRoute[] => [
  { method: 'GET', path: '/muster/', answer: async () => plain(302, '', { location: standing().clusterUi }) },
  { method: 'GET', path: '/muster/bar.js', answer: async () => script(barScript(standing())) },
  {
    method: 'GET',
    path: '/muster/page.css',
    answer: async () => ({ status: 200, headers: { 'content-type': 'text/css; charset=utf-8' }, body: style }),
  },
  { method: 'GET', path: '/muster/onboarding', answer: async () => onboarding(standing()) },
  ...contentKinds.flatMap(({ kind, title }): SiteRoute[] => [
    { method: 'GET', path: `/muster/locked/${kind}`, answer: async () => lockedPage(title, standing()) },
    { method: 'GET', path: `/muster/locked-call/${kind}`, answer: async () => lockedCall(title, standing()) },
  ]),
];

const script = (body: string): SiteAnswer => ({ status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body });

/** In place of the server's page for Salt's keys: a key that is accepted there would not be known to Muster. */
const onboarding = ({ fqdn, zone, clusterUi }: Standing): SiteAnswer =>
  page(
    200,
    'Onboarding is the cluster’s',
    html`<p>New machines wait in the onboarding pool of Muster, for all servers of the zone <b>${zone}</b>. Muster chooses the server of each, and accepts its key there.</p>
<p>Accept, reject or ban machines in the <a href="${clusterUi}">Cluster UI</a>, or by <code>muster onboarding list</code> and <code>muster system accept</code>.</p>
<p>This is ${fqdn}. Keys that are accepted at this server by hand are not those of client systems.</p>`,
  );

/** In place of a page that changes common content, which is locked. */
const lockedPage = (title: string, standing: Standing): SiteAnswer =>
  page(
    403,
    `${title} are locked here`,
    html`<p>${lockedText(title, standing)}</p>
<p><a href="${standing.clusterUi}">Cluster UI</a></p>`,
  );

/** In place of an answer of the JSON interface, in its form. */
const lockedCall = (title: string, standing: Standing): SiteAnswer => {
  const message = lockedText(title, standing);
  return {
    status: 403,
    headers: { 'content-type': 'application/json', [lockedHeader]: 'content' },
    body: JSON.stringify({ success: false, message, messages: [message], editing: whoEdits(standing) }),
  };
};

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 42rem; margin: 4rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
code { font-size: 0.9em; }
`;
