import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callText } from '../../../lib/uyuni/xml-rpc/write.ts';
import { expected } from '../../../tools/check-deploy/progress.ts';
import { administrator } from '../../../tools/support/uyuni/played-server.ts';
import { ask } from './ask.ts';
import type { Scene } from './story.ts';

/** A call with a value as JSON. */
export const json = (value: object, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** The session key of the administrator. */
export async function signedIn(base: string): Promise<string> {
  const { headers } = await ask(`${base}/rhn/manager/api/auth/login`, json(administrator));
  return /pxt-session-cookie=([^;]+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1] ?? '';
}

/** Tries calls of the JSON interface. */
export async function jsonCalls({ apache, server, root }: Scene): Promise<void> {
  const cookie = `pxt-session-cookie=${await signedIn(server.url)}`;
  const made = await ask(`${apache.url}/rhn/manager/api/channel/software/create`, json({ label: 'x' }, { cookie }));
  const said = JSON.parse(made.body) as { success: boolean; message: string };
  expected('a fault that says who edits', made.status === 403 && !said.success && said.message.includes('edited in one place'), made);
  const { secret } = JSON.parse(readFileSync(join(root, 'agent/cluster-mode.json'), 'utf8')) as { secret: string };
  const passed = { cookie, 'muster-passed': secret };
  const group = await ask(`${apache.url}/rhn/manager/api/systemgroup/create`, json({ name: 'of the agent', description: 'x' }, passed));
  expected('a group that the agent itself makes', group.status === 200 && group.body.includes('"success":true'), group);
  const path = '/rhn/manager/api/system/listSystems';
  const [through, direct] = [await ask(apache.url + path, { headers: { cookie } }), await ask(server.url + path, { headers: { cookie } })];
  expected('the same systems', through.status === 200 && through.body === direct.body && direct.body.includes('uyuni1'), through);
}

/** A call of XML-RPC. */
export const xml = (method: string, ...params: Parameters<typeof callText>[1]) => ({
  method: 'POST',
  headers: { 'content-type': 'text/xml' },
  body: callText(method, params),
});

/** Tries calls of XML-RPC. */
export async function xmlRpcCalls({ apache, server, command }: Scene): Promise<void> {
  const key = await signedIn(server.url);
  const at = `${apache.url}/rpc/api`;
  await command('lock', '--who', 'ada', '--node', 'uyuni2.acme.test');
  for (const path of ['/rpc/api', '/rhn/rpc/api', '/WEBRPC', '/rpc/api/more'])
    for (const method of ['channel.software.create', 'channel.software.remove_repo', 'taskomatic.org.scheduleRepoSync']) {
      const { body } = await ask(apache.url + path, xml(method, key, 'x'));
      expected(`a fault for ${method} at ${path}`, body.includes('<int>-23</int>'), body);
    }
  const named = (await ask(at, xml('channel.software.create', key))).body;
  expected('who edits, and where', named.includes('ada edits the common content of the zone default at uyuni2.acme.test'), named);
  const [through, direct] = [
    await ask(at, xml('system.listSystems', key)),
    await ask(`${server.url}/rpc/api`, xml('system.listSystems', key)),
  ];
  expected('the same systems', through.body === direct.body && through.body.includes('uyuni1'), through);
  const large = xml('system.listSystems', key, 'a'.repeat(4 * 2 ** 20));
  expected(
    'a large call that is answered as by the server',
    (await ask(at, large)).body === (await ask(`${server.url}/rpc/api`, large)).body,
    '',
  );
  const twice = large.body.replace('</methodCall>', '<methodName>channel.software.create</methodName></methodCall>');
  expected('a fault for two methods', (await ask(at, { ...large, body: twice })).body.includes('more than one method'), '');
  const forged = await ask(at, { ...xml('channel.software.create', key), headers: { 'muster-passed': 'x' } });
  expected('a fault for a secret that is none', forged.body.includes('<int>-23</int>'), forged);
}
