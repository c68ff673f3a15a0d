import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digitsOf } from '../../../programs/agent/uyuni/cluster-mode/lease.ts';
import { end, run, start } from '../../../tools/check-deploy/processes.ts';
import { expected, step, until } from '../../../tools/check-deploy/progress.ts';
import { aHost, type TestHost } from '../../../tools/support/host.ts';
import { administrator, type PlayedServer, startServer } from '../../../tools/support/uyuni/played-server.ts';
import { aPort } from '../a-port.ts';
import { type Apache, startApache } from './apache.ts';
import { type Asked, ask } from './ask.ts';
import { json, jsonCalls, signedIn, xml, xmlRpcCalls } from './calls.ts';
import { inChromium } from './in-chromium.ts';

/** What the story is played with. */
export type Scene = {
  readonly root: string;
  readonly server: PlayedServer;
  readonly apache: Apache;
  readonly muster: TestHost;
  /** The folder that Apache looks into. */
  readonly state: string;
  /** Runs a command of cluster mode; gives its exit code and its output. */
  readonly command: (name: string, ...options: readonly string[]) => ReturnType<typeof run>;
  readonly startAgent: () => ReturnType<typeof start>;
  readonly agentLog: () => string;
};

const fqdn = 'uyuni1.acme.test';
/** The agent looks every 10 s. */
const takenUpMs = 40_000;
const program = join(import.meta.dirname, '../../../programs/agent/main.ts');

/** Plays cluster mode on a server with a real Apache, from its installation to its removal. */
export async function story(root: string, stops: (() => Promise<void>)[]): Promise<void> {
  const scene = await step('a played Uyuni server is behind a real Apache', () => aScene(root, stops));
  const before = treeOf(join(root, 'etc'));
  await step('a configuration that Apache refuses leaves everything as it was', () => refused(scene, before));
  await step('cluster mode is installed, and the agent takes it up', () => installed(scene));
  let agent = scene.startAgent();
  await step('the login page leads to the Cluster UI', () => login(scene, true));
  await step('the onboarding page names the pool of Muster', () => onboarding(scene));
  await step('each page has the bar and the tab, and the rest as it was', () => pages(scene));
  await step('pages that change common content are locked', () => lockedPages(scene));
  await step('calls of the JSON interface are locked, and others pass byte for byte', () => jsonCalls(scene));
  await step('calls of XML-RPC are locked, and others pass byte for byte', () => xmlRpcCalls(scene));
  await step('the seat’s file opens the lock', () => seat(scene));
  await inChromium(scene);
  await step('the agent dies: the login page is back once the lease has run out, and the lock stays', () => emergency(scene, agent));
  agent = scene.startAgent();
  await step('the agent is back: that is in its log, and the login page leads to the Cluster UI', () => backAgain(scene));
  await step('cluster mode is removed, and leaves no trace', () => removed(scene, before));
  await end(agent, 'SIGTERM');
}

async function aScene(root: string, stops: (() => Promise<void>)[]): Promise<Scene> {
  chmodSync(root, 0o755);
  const server = await startServer({ fqdn, systems: 3 });
  stops.push(() => server.stop());
  const apache = await startApache(root, await aPort(), server.url);
  const muster = await aHost({ beatMinMs: 500 });
  stops.push(() => muster.stop());
  const [state, home, log] = [join(root, 'state'), join(root, 'agent'), join(root, 'agent.log')];
  const own = ['--endpoint', muster.url, '--fqdn', fqdn, '--home', home, '--watch', `127.0.0.1:${await aPort()}`];
  const port = String(await aPort());
  const places = ['--apachectl', apache.control, '--conf-dir', apache.confDir, '--state', state];
  const installing = ['--port', port, '--server', apache.url, '--lock-content'];
  const given: Readonly<Record<string, readonly string[]>> = {
    install: [...places, ...installing],
    remove: places,
    check: ['--apachectl', apache.control],
  };
  const options = { env: process.env, cwd: root };
  return {
    root,
    server,
    apache,
    muster,
    state,
    command: (name, ...more) =>
      run(process.execPath, [program, ...own, 'uyuni', 'cluster-mode', name, ...(given[name] ?? []), ...more], options),
    startAgent: () => start(process.execPath, [program, ...own], { ...options, log }),
    agentLog: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
  };
}

/** Every file below a folder with its content and its mode, as one text. */
const treeOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${statSync(path).mode} ${entry.isFile() ? readFileSync(path, 'base64') : ''}`;
    })
    .sort()
    .join('\n');

async function refused({ apache, command, state, root }: Scene, before: string): Promise<void> {
  const broken = join(apache.confDir, 'broken.conf');
  writeFileSync(broken, 'NoSuchDirective on\n');
  const { code, output } = await command('install');
  rmSync(broken);
  expected('exit code 70, and what Apache says', code === 70 && output.includes('NoSuchDirective'), { code, output });
  expected('the folder as it was', treeOf(join(root, 'etc')) === before && !existsSync(state), readdirSync(apache.confDir));
  expected('an Apache that works', (await ask(`${apache.url}/rhn/manager/login`)).status === 200, apache.errors());
}

async function installed({ command }: Scene): Promise<void> {
  const { code, output } = await command('install');
  expected('exit code 0', code === 0, output);
  const checked = await command('check', '--json');
  expected('an agent that is missing', checked.code === 1 && checked.output.includes('nothing listens'), checked.output);
}

const location = ({ status, headers }: Asked): string => `${status} ${headers.location ?? ''}`;

/** Whether the login page, wherever a server has it, leads to the Cluster UI; else it is the server's own. */
async function login({ apache, command }: Scene, isCluster: boolean): Promise<void> {
  await until('the login page', takenUpMs, async () => {
    const seen = location(await ask(`${apache.url}/rhn/manager/login`));
    return seen.startsWith(isCluster ? '302' : '200') ? { found: true } : { seen };
  });
  for (const path of ['/', '/index.html', '/rhn/manager/login', '/rhn/Login.do', '/rhn/Login2.do', '/rhn/Login.do;jsessionid=1']) {
    const answer = await ask(apache.url + path);
    const isLed = answer.status === 302 && answer.headers.location === `${apache.url}/muster/ui/`;
    expected(`${path} ${isCluster ? 'leads to the Cluster UI' : 'is the server’s own'}`, isLed === isCluster, location(answer));
  }
  if (!isCluster) return;
  const posted = await ask(`${apache.url}/rhn/manager/api/auth/login`, json(administrator));
  expected('programs that sign in as before', posted.status === 200, posted);
  const { code, output } = await command('check');
  expected('nothing missing', code === 0, output);
}

async function onboarding({ apache }: Scene): Promise<void> {
  const { status, body } = await ask(`${apache.url}/rhn/manager/systems/keys`);
  expected('a page about the onboarding pool', status === 200 && body.includes('onboarding pool of Muster'), body.slice(0, 500));
}

async function pages({ apache, server }: Scene): Promise<void> {
  const own = (await ask(`${server.url}/rhn/YourRhn.do`)).body;
  const { status, headers, body } = await ask(`${apache.url}/rhn/YourRhn.do`);
  expected('a page', status === 200, status);
  const encoded = await ask(`${apache.url}/rhn/YourRhn.do`, { headers: { 'accept-encoding': 'gzip' } });
  expected('the same page in gzip, encoded once', encoded.body === body && encoded.headers['content-encoding'] === 'gzip', encoded.headers);
  const script = '<script src="/muster/bar.js" defer></script>';
  const entry = /\{"label":"Cluster"[^}]*\},/.exec(body)?.[0] ?? '';
  expected('the bar and the tab', body.includes(script) && entry !== '', body.slice(0, 800));
  expected('nothing else', body.replace(script, '').replace(entry, '') === own, body.slice(0, 800));
  expected('the server’s own policy', String(headers['content-security-policy']).startsWith("default-src 'self'"), headers);
  const bar = await ask(`${apache.url}/muster/bar.js`);
  expected('a bar with the policy of Muster', String(bar.headers['content-security-policy']).startsWith("default-src 'none'"), bar.headers);
  expected('the node and the lock in the bar', bar.body.includes(fqdn) && bar.body.includes('locked'), bar.body);
}

async function lockedPages({ apache }: Scene): Promise<void> {
  const closed = [
    ...['/rhn/channels/manage/Delete.do', '/rhn/channels//manage/x/../Delete.do', '/rhn/channels/%6danage/Delete.do'],
    ...['/rhn/channels;a/manage/Delete.do', '/rhn/channels/manage/Manage.do?submitted=true', '/rhn/activationkeys/Create.do;jsessionid=1'],
  ];
  for (const path of closed) expected(`${path} is locked`, (await ask(apache.url + path)).status === 403, path);
  for (const path of ['/rhn/channels/manage/Manage.do', '/rhn/systems/details/Overview.do'])
    expected(`${path} is open`, (await ask(apache.url + path)).status === 200, path);
  const sent = await ask(`${apache.url}/rhn/channels/manage/Manage.do`, { method: 'POST', body: 'a=b' });
  expected('a page that says what is locked', sent.status === 403 && sent.body.includes('Software channels are locked here'), sent);
}

async function seat({ apache, server, command }: Scene): Promise<void> {
  const key = await signedIn(server.url);
  const create = xml('channel.software.create', key, 'x');
  await command('unlock');
  expected('an open page', (await ask(`${apache.url}/rhn/channels/manage/Delete.do`)).status === 200, 'locked');
  const own = (await ask(`${server.url}/rpc/api`, create)).body;
  expected('the server’s own answer', (await ask(`${apache.url}/rpc/api`, create)).body === own, own);
  await command('lock');
  expected('a locked page', (await ask(`${apache.url}/rhn/channels/manage/Delete.do`)).status === 403, 'open');
}

/** The lease is cut down to some seconds, as if nine minutes and more had passed since Muster answered. */
async function emergency(scene: Scene, agent: ReturnType<typeof start>): Promise<void> {
  const { apache, state } = scene;
  await end(agent, 'SIGKILL');
  writeFileSync(join(state, 'lease'), digitsOf(Date.now() + 4_000));
  expected('a login page that still leads on', (await ask(`${apache.url}/rhn/manager/login`)).status === 302, 'not');
  await login(scene, false);
  const keys = await ask(`${apache.url}/rhn/manager/systems/keys`);
  expected('the server’s own onboarding page', keys.body.includes('Uyuni /rhn/manager/systems/keys'), keys);
  expected('a locked page', (await ask(`${apache.url}/rhn/channels/manage/Delete.do`)).status === 403, 'open');
  const called = await ask(`${apache.url}/rpc/api`, xml('channel.software.create', 'x'));
  expected('no call of XML-RPC', called.status === 503, called);
}

async function backAgain(scene: Scene): Promise<void> {
  await login(scene, true);
  expected('the emergency in the log', scene.agentLog().includes('emergency while this agent was away'), scene.agentLog());
}

async function removed(scene: Scene, before: string): Promise<void> {
  const { command, root, state, apache } = scene;
  const { code, output } = await command('remove');
  expected('exit code 0', code === 0, output);
  expected('the folder as it was', treeOf(join(root, 'etc')) === before, readdirSync(apache.confDir));
  expected(
    'no other trace',
    !existsSync(state) && !readdirSync(join(root, 'agent')).includes('cluster-mode.json'),
    readdirSync(join(root, 'agent')),
  );
  await login(scene, false);
  expected('pages as they were', !(await ask(`${apache.url}/rhn/YourRhn.do`)).body.includes('muster'), 'the bar');
}
