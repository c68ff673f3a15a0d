import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, start } from '../../../tools/check-deploy/processes.ts';
import { expected, until } from '../../../tools/check-deploy/progress.ts';
import { Unavailable } from '../../../tools/check-deploy/python.ts';

/** A real Apache in front of a played server, below a root of its own. */
export type Apache = {
  readonly url: string;
  /** The folder that its configuration is read from. */
  readonly confDir: string;
  /** A command that checks and reloads it, as apachectl does. */
  readonly control: string;
  errors(): string;
};

const programs = ['/usr/sbin/apache2', '/usr/sbin/httpd'];
const moduleFolders = ['/usr/lib/apache2/modules', '/usr/lib64/apache2', '/usr/lib64/httpd/modules'];
/** What the server's own configuration loads, unless it is built in; the rest is for cluster mode to load. */
const loaded = [
  'mpm_event',
  'authz_core',
  'authn_core',
  'unixd',
  'dir',
  'env',
  'alias',
  'headers',
  'rewrite',
  'proxy',
  'proxy_http',
  'filter',
  'deflate',
  'ssl',
  'socache_shmcb',
];

/** The program of Apache 2.4 and its modules. Throws {@link Unavailable} where they are not installed. */
export function apacheHere(): { readonly program: string; readonly modules: string } {
  const program = programs.find((path) => existsSync(path));
  const modules = moduleFolders.find((path) => existsSync(join(path, 'mod_substitute.so')));
  if (program === undefined || modules === undefined)
    throw new Unavailable('Apache 2.4 is missing: npm run check:apache -- --install installs it (apache2 of Debian)');
  return { program, modules };
}

/** Starts an Apache that passes what it gets on to a played server, by rules like those of a real one. */
export async function startApache(root: string, port: number, behind: string): Promise<Apache> {
  const { program, modules } = apacheHere();
  const confDir = join(root, 'etc/apache2/conf.d');
  mkdirSync(confDir, { recursive: true });
  mkdirSync(join(root, 'htdocs'));
  for (const folder of [root, join(root, 'htdocs')]) chmodSync(folder, 0o755);
  writeFileSync(join(root, 'htdocs/index.html'), 'the index\n');
  const env = { ...process.env, LC_ALL: 'C' };
  const key = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=uyuni1.acme.test'];
  const made = await run('openssl', [...key, '-keyout', join(root, 'key.pem'), '-out', join(root, 'cert.pem')], { env, cwd: root });
  expected('a certificate', made.code === 0, made.output);
  const file = join(root, 'apache.conf');
  writeFileSync(file, mainFile({ root, modules, port }));
  writeFileSync(join(confDir, 'zz-spacewalk-www.conf'), serverFile(root, behind));
  const control = join(root, 'apachectl');
  const call = `'${program}' -d '${root}' -f '${file}'`;
  writeFileSync(control, `#!/bin/sh\ncase $1 in\n  configtest) exec ${call} -t ;;\n  *) exec ${call} -k "$1" ;;\nesac\n`);
  chmodSync(control, 0o755);
  const options = { env, cwd: root, log: join(root, 'apache.log') };
  start(program, ['-d', root, '-f', file, '-D', 'FOREGROUND'], options);
  const errors = () => (existsSync(join(root, 'error.log')) ? readFileSync(join(root, 'error.log'), 'utf8') : '');
  await until('Apache listens', 20_000, async () => (existsSync(join(root, 'httpd.pid')) ? { found: true } : { seen: errors() }));
  return { url: `https://127.0.0.1:${port}`, confDir, control, errors };
}

/** What a distribution configures: modules, and a host with TLS that has the rules of the main one. */
const mainFile = ({ root, modules, port }: { root: string; modules: string; port: number }): string => `
ServerRoot ${root}
PidFile ${root}/httpd.pid
ErrorLog ${root}/error.log
LogLevel warn
DefaultRuntimeDir ${root}
ServerName uyuni1.acme.test
Listen 127.0.0.1:${port} https
${loaded.map((name) => `<IfModule !${name}_module>\nLoadModule ${name}_module ${modules}/mod_${name}.so\n</IfModule>`).join('\n')}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
<Directory />
  Require all denied
</Directory>
DirectoryIndex index.html
IncludeOptional ${root}/etc/apache2/conf.d/*.conf
<VirtualHost *:${port}>
  SSLEngine on
  SSLCertificateFile ${root}/cert.pem
  SSLCertificateKeyFile ${root}/key.pem
  RewriteEngine on
  RewriteOptions inherit
</VirtualHost>
`;

/** The rules of a server, as far as cluster mode meets them. */
const serverFile = (root: string, behind: string): string => `
DocumentRoot ${root}/htdocs
<Directory ${root}/htdocs>
  Require all granted
</Directory>
RewriteEngine on
RewriteOptions inherit
RewriteRule ^/rpc/api /rhn/rpc/api
RewriteRule ^/index\\.html$ /rhn/manager/login
RewriteRule ^/WEBRPC /rhn/rpc/api
RewriteRule ^/rhn(.*) ${behind}/rhn$1 [P]
Header set Cache-Control "no-cache,no-store,must-revalidate,private"
Header unset ETag
Header edit Set-Cookie ^(.*)$ $1;HttpOnly;Secure
Header always append X-Frame-Options SAMEORIGIN
Header set Content-Security-Policy: "default-src 'self' https: wss: ; script-src 'self' https: 'unsafe-inline' 'unsafe-eval'; img-src 'self' https: data: ;style-src 'self' https: 'unsafe-inline' "
AddOutputFilterByType DEFLATE text/html text/plain text/xml text/css text/javascript application/javascript application/json
Header edit Set-Cookie ^(.*)$ $1;SameSite=lax
`;
