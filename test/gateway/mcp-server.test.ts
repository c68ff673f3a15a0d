import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AGateway, aGateway } from '../support/a-gateway.ts';
import { type JsonSent, jsonTo } from '../support/a-json-caller.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

/**
 * The calls of mcp-server-uyuni, by its tools. It signs in before each by the path of the servers' pages, and writes
 * moments with fractions of a second. `of` is the number of a system.
 */
const calls = (of: number): readonly (readonly [tool: string, ...calls: JsonSent[]])[] => [
  ['list_systems', { path: 'system/listSystems' }],
  [
    'get_system_details',
    { path: `system/getDetails?sid=${of}` },
    { path: `system/getUuid?sid=${of}` },
    { path: `system/getCpu?sid=${of}` },
    { path: `system/getNetwork?sid=${of}` },
    { path: `system/getInstalledProducts?sid=${of}` },
  ],
  [
    'get_system_event_history',
    { path: `system/getEventHistory?sid=${of}&limit=10&offset=0` },
    { path: `system/getEventHistory?sid=${of}&limit=10&offset=0&earliestDate=2031-01-01T00%3A00%3A00Z` },
  ],
  ['get_system_event_details', { path: `system/getEventDetails?sid=${of}&eid=7` }],
  ['find_systems_by_name', { path: 'system/search/hostname?searchTerm=web' }],
  ['find_systems_by_ip', { path: 'system/search/ip?searchTerm=10.0.0.1' }],
  ['resolve', { path: 'system/getId?name=s1000010000.a.acme.test' }],
  [
    'check_system_updates',
    { path: `system/getRelevantErrata?sid=${of}` },
    { path: `system/getUnscheduledErrata?sid=${of}` },
    { path: 'errata/listCves?advisoryName=SUSE-1' },
  ],
  [
    'get_systems_needing_security_update_for_cve',
    { path: 'errata/findByCve?cveName=CVE-2031-0001' },
    { path: 'errata/listAffectedSystems?advisoryName=SUSE-1' },
  ],
  ['get_systems_needing_reboot', { path: 'system/listSuggestedReboot' }],
  [
    'schedule_system_reboot',
    { verb: 'POST', path: 'system/scheduleReboot', body: { sid: of, earliestOccurrence: '2031-05-01T12:00:00.123456+00:00' } },
  ],
  ['list_activation_keys', { path: 'activationkey/listActivationKeys' }],
  ['list_system_groups', { path: 'systemgroup/listAllGroups' }],
  ['list_group_systems', { path: 'systemgroup/listSystemsMinimal?systemGroupName=web' }],
  [
    'add_systems_to_group',
    { verb: 'POST', path: 'systemgroup/addOrRemoveSystems', body: { systemGroupName: 'web', serverIds: [of], add: true } },
  ],
  ['remove_system', { verb: 'POST', path: 'system/deleteSystem', body: { sid: of, cleanupType: 'FORCE_DELETE' } }],
  [
    'schedule_pending_updates_to_system',
    { verb: 'POST', path: 'system/scheduleApplyErrata', body: { sid: of, errataIds: [31], allowModules: true } },
  ],
  ['list_all_scheduled_actions', { path: 'schedule/listAllActions' }],
  ['cancel_action', { verb: 'POST', path: 'schedule/cancelActions', body: { actionIds: [3] } }],
  ['create_system_group', { verb: 'POST', path: 'systemgroup/create', body: { name: 'new', description: 'd' } }],
  [
    'add_system',
    {
      verb: 'POST',
      path: 'system/bootstrapWithPrivateSshKey',
      body: { host: 'web9', sshPort: 22, sshUser: 'root', sshPrivKey: 'k\nk', sshPrivKeyPass: '', activationKey: '1-web', saltSSH: false },
    },
  ],
];

/** What three servers do not answer as one does; docs/gateway.md says why. */
const refused: Readonly<Record<string, string>> = {
  schedule_pending_updates_to_system: 'each server counts its own',
  cancel_action: 'Could not find action with id: 3',
  create_system_group: 'no server is named on which that is edited',
  add_system: 'onboard the system by Muster',
};

/** The answers to the calls of a tool, each after a sign-in. */
async function answersOf(url: string, requests: readonly JsonSent[]): Promise<readonly (readonly [number, string | undefined, string])[]> {
  const got = [];
  for (const request of requests) {
    const { session } = await jsonTo(url, undefined, { verb: 'POST', path: 'login', body: { login: 'admin', password: 'secret' } });
    const { status, type, text } = await jsonTo(url, session, request);
    got.push([status, type, text] as const);
  }
  return got;
}

const first = 1_000_010_000;
/** The number of the second system of the second server in the cluster. */
const there = 1_500_000_001;

describe('the calls of mcp-server-uyuni', () => {
  let nodes: PlayedNode[];
  let [one, three]: AGateway[] = [];
  beforeAll(async () => {
    nodes = await Promise.all(['a.acme.test', 'b.acme.test', 'c.acme.test'].map((name) => aPlayedNode(name, [first, first + 1])));
    one = await aGateway(nodes.slice(1, 2));
    const places = nodes.flatMap(({ name }, n) =>
      [0, 1].map((m) => [n === 0 ? first + m : 1_500_000_000 + (n - 1) * 10 + m, name, first + m] as const),
    );
    three = await aGateway(nodes, { places });
  });
  afterAll(async () => {
    await Promise.all([one?.close(), three?.close(), ...nodes.map((node) => node.close())]);
  });

  it.each(calls(first + 1).map(([tool, ...requests]): [string, JsonSent[]] => [tool, requests]))(
    'are answered for %s by a gateway with one server as by that server',
    async (_tool, requests) => {
      const direct = await answersOf(nodes[1]!.url, requests);
      expect(direct.map(([status, , text]) => [status, text.startsWith('{"success":true')])).toEqual(requests.map(() => [200, true]));
      expect(await answersOf(one!.url, requests)).toEqual(direct);
    },
  );

  it.each(calls(there).map(([tool, ...requests], n): [string, number, JsonSent[]] => [tool, n, requests]))(
    'are answered for %s by a gateway with three as by one, but for listed differences',
    async (tool, n, requests) => {
      const [, ...own] = calls(first + 1)[n]!;
      const direct = await Promise.all(nodes.map(({ url }) => answersOf(url, own)));
      const got = await answersOf(three!.url, requests);
      if (refused[tool] !== undefined) {
        expect(got.map(([status, , text]) => [status, JSON.parse(text)])).toEqual([
          [200, { success: false, message: expect.stringContaining(refused[tool]) }],
        ]);
        return;
      }
      for (const [at, answer] of got.entries()) expect(valueIn(answer)).toEqual(expected(requests[at]!, direct, at));
    },
  );
});

type Answer = readonly [number, string | undefined, string];
type Listed = { readonly id: number; readonly system_count?: number };

const valueIn = ([status, type, text]: Answer): unknown => [status, type, JSON.parse(text)];
const resultIn = (answer: Answer): unknown => (JSON.parse(answer[2]) as { readonly result: unknown }).result;

/** What one server would say that has the systems of all, under their numbers in the cluster. */
function expected({ path }: JsonSent, direct: readonly (readonly Answer[])[], at: number): unknown {
  const all = direct.map((answers) => answers[at]!);
  const inCluster = (server: number, id: number): number => (server === 0 ? id : 1_500_000_000 + (server - 1) * 10 + id - first);
  const answered = (result: unknown): unknown => [200, 'application/json', { success: true, result }];
  if (/listSystems|search\/|getId|listAffected|listSuggested/.test(path))
    return answered(all.flatMap((one, server) => (resultIn(one) as Listed[]).map((each) => ({ ...each, id: inCluster(server, each.id) }))));
  // Those that were scheduled by the gateway: the numbers of others are their server's own.
  if (path === 'schedule/listAllActions') return answered([expect.objectContaining({ id: expect.any(Number), inProgressSystems: 1 })]);
  if (path === 'system/scheduleReboot') return answered(expect.any(Number));
  if (path === 'systemgroup/listAllGroups') {
    const groups = all.map((one) => (resultIn(one) as Listed[])[0]!);
    return answered([{ ...groups[0], system_count: groups.reduce((sum, group) => sum + (group.system_count ?? 0), 0) }]);
  }
  const home = valueIn(all[1]!) as [number, string, { readonly result: unknown }];
  return path.startsWith('system/getDetails') ? answered({ ...(home[2].result as object), id: there }) : home;
}
