import { pagePolicy } from '../../../../lib/page/headers.ts';
import { contentKinds } from '../../../../lib/uyuni/content/kinds.ts';
import { locksOf, writingQuery } from './locks.ts';
import { passedHeader } from './passing.ts';
import { type ClusterMode, leaseFile, seatFile } from './settings.ts';

/**
 * The name of the file in the folder of Apache's configuration. Files are read in the order of their names, and the
 * server's own rules, in `zz-spacewalk-www.conf`, take whatever reaches them.
 */
export const fileName = 'muster-cluster-mode.conf';

const head = '# Written by muster-agent uyuni cluster-mode install, which replaces it: changes made here are lost.';

/** Whether a file of Apache was written by an agent. */
export const isOurs = (text: string): boolean => text.startsWith(head);

/** The file of Apache for cluster mode. */
export const apacheFile = (mode: ClusterMode): string =>
  [head, ...modules(mode), ...site(mode), ...login(mode), ...pages(), ...(mode.locksContent ? [...calls(mode), ...locks(mode)] : [])]
    .join('\n')
    .concat('\n');

const needed = ['rewrite', 'proxy', 'proxy_http', 'headers', 'filter', 'deflate', 'substitute'];

/** Modules that the file needs and that are not loaded yet. */
const modules = ({ modules: folder }: ClusterMode): readonly string[] =>
  folder === undefined
    ? []
    : needed.flatMap((name) => [`<IfModule !${name}_module>`, `  LoadModule ${name}_module ${folder}/mod_${name}.so`, '</IfModule>']);

const agentAt = ({ port }: ClusterMode): string => `http://127.0.0.1:${port}`;

/** The agent's pages. Headers of the server, which come for every path, would replace the policy and loosen cookies. */
const site = (mode: ClusterMode): readonly string[] => [
  '',
  '# The agent of Muster.',
  '<Location "/muster/">',
  `  ProxyPass "${agentAt(mode)}/muster/" connectiontimeout=5 timeout=600 retry=0 disablereuse=on`,
  '  ProxyPreserveHost On',
  `  Header set Content-Security-Policy "${pagePolicy}"`,
  '  Header always set X-Frame-Options "DENY"',
  String.raw`  Header edit Set-Cookie "(?i)(;\s*SameSite=\w+.*);\s*SameSite=lax$" "$1"`,
  '  ErrorDocument 502 "The agent of Muster does not answer on this server."',
  '  ErrorDocument 503 "The agent of Muster does not answer on this server."',
  '</Location>',
];

/**
 * The login page leads to the Cluster UI, and Salt's onboarding page is the agent's, as long as the lease counts: a
 * file with the moment until which it does, which the agent renews while Muster answers it.
 */
const login = (mode: ClusterMode): readonly string[] => {
  const lease = leaseFile(mode);
  const condition = [`RewriteCond expr "-f '${lease}' && file('${lease}') -gt %{TIME}"`, 'RewriteCond %{REQUEST_METHOD} ^(?:GET|HEAD)$'];
  return [
    '',
    '# Signing in and onboarding, while Muster answers.',
    'RewriteEngine On',
    ...condition,
    String.raw`RewriteRule ^/(?:index\.html|rhn/?|rhn/manager/login/?|rhn/(?:Re)?Login2?\.do)?(?:;.*)?$ ${mode.clusterUi} [R=302,L,QSD]`,
    ...condition,
    `RewriteRule ^/rhn/manager/systems/keys/?(?:;.*)?$ ${agentAt(mode)}/muster/onboarding [P,L,QSD]`,
  ];
};

/** An entry of the menu that each page of the server carries as a value of a script. */
const entry = JSON.stringify({
  label: 'Cluster',
  icon: 'fa-sitemap',
  primaryUrl: '/muster/',
  target: '',
  active: false,
  isVisible: true,
  submenu: null,
});

const quoted = (text: string): string => text.replaceAll('"', '\\"');

/** The bar and the entry of the menu, in each page of the server. */
const pages = (): readonly string[] => [
  '',
  '# The bar and the tab on each page.',
  '<Location "/rhn/">',
  '  AddOutputFilterByType INFLATE;SUBSTITUTE;DEFLATE text/html',
  '  SubstituteMaxLineLength 20m',
  `  Substitute "${quoted('s|</head>|<script src="/muster/bar.js" defer></script></head>|i')}"`,
  `  Substitute "${quoted(String.raw`s|window\.JSONMenu\s*=\s*\[|window.JSONMenu = [${entry},|`)}"`,
  '</Location>',
];

/** Calls of XML-RPC go through the agent, which reads the method, and come back with its secret. */
const calls = (mode: ClusterMode): readonly string[] => [
  '',
  '# Common content is locked, unless the file is there: calls of XML-RPC.',
  // An expression that begins with ! would be negated whole.
  `RewriteCond expr "${isOfOthers(mode)} && ! -f '${seatFile(mode)}'"`,
  'RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$',
  `RewriteRule ^/(?:rpc/api|WEBRPC|rhn/rpc/api) ${agentAt(mode)}%{REQUEST_URI} [P,L]`,
  // An application server leaves out what follows a semicolon in a path, and would find another page than is judged.
  `RewriteCond expr "! -f '${seatFile(mode)}'"`,
  'RewriteRule ^/rhn/[^;]*;(?!jsessionid=[^/;]*$) - [F]',
  `RequestHeader unset ${passedHeader}`,
  '<LocationMatch "^/(?:rpc/api|WEBRPC|rhn/rpc/api)">',
  '  ProxyPreserveHost On',
  '</LocationMatch>',
];

/** Whether the agent has neither let a call through nor makes it itself. */
const isOfOthers = ({ secret }: ClusterMode): string => `req('${passedHeader}') != '${secret}'`;

const sends = '%{REQUEST_METHOD} !~ m#^(?:GET|HEAD|OPTIONS)$#';

/** Pages and calls that change a kind of content, which are answered by a page or a fault of the agent. */
const locks = (mode: ClusterMode): readonly string[] => [
  '',
  '# Common content is locked, unless the file is there: pages, and calls of the JSON interface.',
  ...contentKinds.flatMap((content) => {
    const { forms, writes, calls: callPattern } = locksOf(content);
    const page = `/muster/locked/${content.kind}`;
    return [
      ...(forms === undefined ? [] : locked(mode, forms, 'true', page)),
      ...(writes === undefined ? [] : locked(mode, writes, `(${sends} || %{QUERY_STRING} =~ m#${writingQuery}#)`, page)),
      ...locked(mode, callPattern, `${sends} && ${isOfOthers(mode)}`, `/muster/locked-call/${content.kind}`),
    ];
  }),
];

const locked = (mode: ClusterMode, pattern: string, when: string, answer: string): readonly string[] => [
  `<LocationMatch "${pattern}">`,
  `  <If "! -f '${seatFile(mode)}' && ${when}">`,
  '    Require all denied',
  `    ErrorDocument 403 ${answer}`,
  '  </If>',
  '</LocationMatch>',
];
