import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import { adminRoutes } from '../../../lib/admin-contract.ts';
import { pathOf } from '../../../lib/api/client.ts';
import type { Route } from '../../../lib/api/route.ts';
import { write } from '../../../lib/core/decision.ts';
import { type Fqdn, ZoneName } from '../../../lib/core/ids.ts';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { aClient, aNode, fpOf, nodeId } from '../../../tools/support/builders.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { aKey, showing } from '../../support/callers.ts';

/** What stands in a zone, by the names under which calls ask for it. */
type Things = { readonly zone: string; readonly node: string; readonly fqdn: string; readonly system: string; readonly token: string };
type Call = { readonly params?: object; readonly query?: string; readonly body?: object };
/** How a route is asked about things, and what must hold of its answer to whoever is limited to another zone. */
type Probe =
  /** It is about one thing: one of another zone is answered as one that there is not. */
  | { readonly about: (things: Things) => Call }
  /** It shows what is there: nothing of another zone. */
  | { readonly shows: Call }
  /** It concerns the whole deployment: whoever is limited to zones is refused. */
  | { readonly everywhere: Call }
  /** It has nothing to do with zones, and this is why. */
  | { readonly zoneless: string };

const [alpha, beta] = ['alpha', 'beta'].map((name) => ZoneName.parse(name)) as [ZoneName, ZoneName];
const someProcess = '0x7200000000000001:0x2d';
const noTokens = 'its tokens are told apart below, where they are made';
const hookNotTold = 'its webhook is of zones: see test/unit/webhooks/webhooks.test.ts';

const noSize = { nodes: 0, processes: 0, services: 0, devices: 0, pools: 0, profiles: 0, fids: 0 };

/**
 * Every route of the admin API: one that is missing here fails, so that nobody adds one without having thought of
 * zones.
 */
const probes: Readonly<Record<keyof typeof adminRoutes, Probe>> = {
  listNodes: { shows: {} },
  getNode: { about: ({ node }) => ({ params: { id: node } }) },
  editNode: { about: ({ fqdn }) => ({ params: { id: fqdn }, body: { weight: 2 } }) },
  takeReports: {
    about: ({ node }) => ({ body: [{ type: 'node.leaving', version: 1, id: 'patch-tuesday', node, data: { mode: 'hold' } }] }),
  },
  leaveNode: { about: ({ node }) => ({ params: { id: node }, body: { mode: 'hold' } }) },
  dropNode: { about: ({ node }) => ({ params: { id: node }, body: {} }) },
  replaceNode: { about: ({ node }) => ({ params: { id: node }, body: { by: 'node9.acme.org' } }) },
  adoptSystems: { about: ({ node }) => ({ params: { id: node }, body: {} }) },
  adoption: { about: ({ node }) => ({ params: { id: node } }) },
  enterNode: { about: ({ node }) => ({ params: { id: node }, body: {} }) },
  enterByForm: { about: ({ node }) => ({ params: { id: node } }) },
  reserveActionNumbers: { zoneless: 'nothing has these numbers yet' },
  recordAction: {
    about: ({ fqdn }) => ({ params: { number: '1500000000' }, body: { proof: 'A'.repeat(35), parts: [{ node: fqdn, id: 7 }] } }),
  },
  getAction: { zoneless: 'its parts are told apart in test/unit/uyuni/actions.test.ts, where they are recorded' },
  findActions: { about: ({ fqdn }) => ({ query: `node=${fqdn}&ids=7` }) },
  getSeat: { about: ({ zone }) => ({ params: { zone } }) },
  editContent: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  finishEditing: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  endEditing: { about: ({ zone }) => ({ params: { zone }, body: { because: 'she is on leave' } }) },
  getContent: { about: ({ zone }) => ({ params: { zone } }) },
  applyContent: { about: ({ zone }) => ({ params: { zone }, body: { because: 'of today' } }) },
  rollBackContent: { about: ({ zone }) => ({ params: { zone }, body: { revision: 1, because: 'of yesterday' } }) },
  resumeContent: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  diffContent: { about: ({ zone }) => ({ params: { zone }, query: 'from=1&to=2' }) },
  markSynced: { about: ({ zone, node }) => ({ params: { zone }, body: { node } }) },
  actOnSystems: { about: ({ system }) => ({ body: { systems: [system], action: { do: 'highstate' } } }) },
  systemAction: { zoneless: 'its nodes are told apart in test/unit/clients/actions.test.ts, where it is ordered' },
  cancelSystemAction: { zoneless: 'its nodes are told apart in test/unit/clients/actions.test.ts, where it is ordered' },
  removeNode: { about: ({ node }) => ({ params: { id: node }, body: {} }) },
  createNodeToken: { about: ({ zone }) => ({ body: { nodes: 'node9.acme.org', zone } }) },
  listNodeTokens: { shows: {} },
  revokeNodeToken: { zoneless: noTokens },
  listNodePool: { zoneless: 'its hosts are told apart in zones-of-hosts.test.ts, where they wait' },
  admitHosts: { about: ({ zone }) => ({ body: { hosts: ['node9.acme.org'], zone } }) },
  rejectHosts: { zoneless: 'its hosts are told apart in zones-of-hosts.test.ts, where they wait' },
  listAdmissionRules: { everywhere: {} },
  addAdmissionRule: { everywhere: { body: { name: 'all', nodes: '*' } } },
  deleteAdmissionRule: { everywhere: { params: { name: 'all' }, body: {} } },
  listSystems: { shows: {} },
  findSystems: { shows: {} },
  findThings: { shows: { query: 'q=kind:node,service,process,host' } },
  getSystem: { about: ({ system }) => ({ params: { fp: system } }) },
  editSystem: { about: ({ system }) => ({ params: { fp: system }, body: { tags: ['web'] } }) },
  editSystems: { about: ({ system }) => ({ body: { systems: [system], tags: { add: ['db'] } } }) },
  pinSystems: { about: ({ system, node }) => ({ body: { systems: [system], node } }) },
  unpinSystems: { about: ({ system }) => ({ body: { systems: [system] } }) },
  accept: { about: ({ system, zone }) => ({ body: { systems: [system], zone } }) },
  unregister: { about: ({ system }) => ({ body: { systems: [system] } }) },
  settleSystems: { about: ({ system }) => ({ body: { systems: [system] } }) },
  replaceSystem: { about: ({ system }) => ({ params: { fp: system }, body: { by: fpOf(9) } }) },
  ban: { about: ({ system }) => ({ body: { systems: [system] } }) },
  listMetadata: { about: ({ system }) => ({ params: { fp: system } }) },
  getMetadata: { about: ({ system }) => ({ params: { fp: system, kind: 'notes' } }) },
  putMetadata: { about: ({ system }) => ({ params: { fp: system, kind: 'notes' }, body: { document: {} } }) },
  appendMetadata: { about: ({ system }) => ({ params: { fp: system, kind: 'actions' }, body: { entries: [{}] } }) },
  deleteMetadata: { about: ({ system }) => ({ params: { fp: system, kind: 'notes' } }) },
  createOnboardingToken: { about: ({ zone }) => ({ body: { zone } }) },
  listOnboardingTokens: { shows: {} },
  listRefusedKnocks: { zoneless: 'its knocks are told apart in clients/refusals/refusals.test.ts, where they are refused' },
  revokeOnboardingToken: { zoneless: noTokens },
  listChanges: { about: ({ zone }) => ({ query: `zones=${zone}` }) },
  listAudit: { shows: {} },
  verifyAudit: { shows: {} },
  listDeadLetters: { everywhere: {} },
  getDeadLetter: { everywhere: { params: { id: 'm1' } } },
  redriveDeadLetters: { everywhere: { body: { ids: ['m1'] } } },
  dropDeadLetters: { everywhere: { body: { ids: ['m1'] } } },
  listTokenKeys: { everywhere: {} },
  rotateTokenKeys: { everywhere: { body: {} } },
  createKey: { everywhere: { body: { name: 'a', scopes: ['read'] } } },
  listKeys: { everywhere: {} },
  addWebhook: { about: ({ zone }) => ({ body: { url: 'https://hooks.acme.org/', zones: [zone] } }) },
  listWebhooks: { zoneless: 'webhooks of other zones are told apart below, where they are made' },
  removeWebhook: { zoneless: hookNotTold },
  enableWebhook: { zoneless: hookNotTold },
  rotateWebhook: { zoneless: hookNotTold },
  testWebhook: { zoneless: hookNotTold },
  listDeliveries: { zoneless: hookNotTold },
  replayDeliveries: { zoneless: hookNotTold },
  listSubjects: { everywhere: {} },
  lockSubject: { everywhere: { body: { subject: 'u-17' } } },
  unlockSubject: { everywhere: { body: { subject: 'u-17' } } },
  revokeKey: { everywhere: { params: { id: '0123456789ab' }, body: {} } },
  createSignInLink: { zoneless: "a link carries its maker's own rights" },
  signIn: { zoneless: 'nobody is anybody yet' },
  getSession: { zoneless: 'it is about the caller' },
  beginSession: { zoneless: 'nobody is anybody yet' },
  endSession: { zoneless: 'it ends what the caller has shown' },
  renewSession: { zoneless: 'it is about the caller' },
  beginAtIssuer: { zoneless: 'nobody is anybody yet' },
  returnFromIssuer: { zoneless: 'nobody is anybody yet' },
  signOut: { zoneless: 'it ends what the caller has shown' },
  waysToSignIn: { zoneless: 'nobody is anybody yet' },
  whoAmI: { zoneless: 'it is about the caller' },
  status: { shows: {} },
  listZones: { shows: {} },
  createZone: { everywhere: { body: { name: 'delta' } } },
  getZone: { about: ({ zone }) => ({ params: { zone } }) },
  zoneMap: { about: ({ zone }) => ({ params: { zone } }) },
  previewZone: { about: ({ zone, node }) => ({ params: { zone }, query: `drop=${node}` }) },
  previewStorage: { about: ({ zone, node }) => ({ params: { zone }, query: `host=${node}` }) },
  editZone: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  deleteZone: { everywhere: { params: { zone: 'beta' }, body: {} } },
  graph: { about: ({ zone }) => ({ params: { zone } }) },
  calmZone: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  freezeZone: { about: ({ zone }) => ({ params: { zone }, body: { what: 'all' } }) },
  unfreezeZone: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  getStations: { about: ({ zone }) => ({ params: { zone } }) },
  resetStations: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  putStations: { about: ({ zone }) => ({ params: { zone }, body: { hosts: ['ts1.acme.org'] } }) },
  listQueues: { everywhere: {} },
  listRules: { everywhere: {} },
  debugZone: { about: ({ zone }) => ({ params: { zone } }) },
  traceNode: { about: ({ fqdn }) => ({ params: { id: fqdn }, body: { subsystem: 'http', on: true } }) },
  debugNode: { about: ({ fqdn }) => ({ params: { id: fqdn } }) },
  getSiteOrders: { about: ({ zone }) => ({ params: { zone } }) },
  orderOnSite: { about: ({ zone, fqdn }) => ({ params: { zone }, body: { host: fqdn } }) },
  editPower: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  meroStatus: { about: ({ zone }) => ({ params: { zone } }) },
  startMero: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  stopMero: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  resetMero: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  updateMero: { about: ({ zone }) => ({ params: { zone }, body: { set: [{ fid: '0x7200000000000001:0x2d', state: 'failed' }] } }) },
  addMeroProcesses: { about: ({ zone, fqdn }) => ({ params: { zone }, body: { node: fqdn, roles: ['m0t1fs'] } }) },
  getMeroProcess: { about: ({ zone }) => ({ params: { zone, fid: someProcess } }) },
  getMeroConfiguration: { about: ({ zone }) => ({ params: { zone, fid: someProcess } }) },
  startMeroProcess: { about: ({ zone }) => ({ params: { zone, fid: someProcess }, body: {} }) },
  stopMeroProcess: { about: ({ zone }) => ({ params: { zone, fid: someProcess }, body: {} }) },
  removeMeroProcess: { about: ({ zone }) => ({ params: { zone, fid: someProcess }, body: {} }) },
  getMeroNode: { about: ({ zone, fqdn }) => ({ params: { zone, node: fqdn } }) },
  startMeroNode: { about: ({ zone, fqdn }) => ({ params: { zone, node: fqdn }, body: {} }) },
  stopMeroNode: { about: ({ zone, fqdn }) => ({ params: { zone, node: fqdn }, body: {} }) },
  removeMeroNode: { about: ({ zone, fqdn }) => ({ params: { zone, node: fqdn }, body: {} }) },
  removeHalonNode: { about: ({ zone, fqdn }) => ({ params: { zone, node: fqdn }, body: {} }) },
  listMeroRoles: { about: ({ zone }) => ({ params: { zone } }) },
  putMeroRole: { about: ({ zone }) => ({ params: { zone, role: 'client' }, body: { content: [{}] } }) },
  deleteMeroRole: { about: ({ zone }) => ({ params: { zone, role: 'client' } }) },
  listHalonRoles: { about: ({ zone }) => ({ params: { zone } }) },
  putHalonRole: { about: ({ zone }) => ({ params: { zone, role: 'watcher' }, body: { station: true, services: [] } }) },
  deleteHalonRole: { about: ({ zone }) => ({ params: { zone, role: 'watcher' } }) },
  listServices: { about: ({ zone }) => ({ params: { zone } }) },
  getService: { about: ({ zone, fqdn }) => ({ params: { zone, type: 'statistics', node: fqdn } }) },
  listServiceTypes: { about: ({ zone }) => ({ params: { zone } }) },
  getServiceType: { about: ({ zone }) => ({ params: { zone, type: 'statistics' } }) },
  putServiceType: { about: ({ zone }) => ({ params: { zone, type: 'greeter' }, body: { start: ['greet'] } }) },
  deleteServiceType: { about: ({ zone }) => ({ params: { zone, type: 'greeter' } }) },
  startService: { about: ({ zone, fqdn }) => ({ params: { zone, type: 'statistics' }, body: { node: fqdn } }) },
  stopService: { about: ({ zone, fqdn }) => ({ params: { zone, type: 'statistics' }, body: { node: fqdn } }) },
  reconfigureService: { about: ({ zone, fqdn }) => ({ params: { zone, type: 'statistics' }, body: { node: fqdn, configuration: {} } }) },
  checkService: { about: ({ zone, fqdn }) => ({ params: { zone, type: 'statistics' }, body: { node: fqdn } }) },
  statusService: { about: ({ zone, fqdn }) => ({ params: { zone, type: 'statistics' }, body: { node: fqdn } }) },
  sendService: { about: ({ zone, fqdn }) => ({ params: { zone, type: 'statistics' }, body: { node: fqdn, message: 'ping' } }) },
  getMeroVars: { about: ({ zone }) => ({ params: { zone } }) },
  beginMeroLoad: { about: ({ zone }) => ({ params: { zone }, body: { identity: '0'.repeat(64), size: noSize } }) },
  putMeroLayout: {
    about: ({ zone }) => ({ params: { zone, load: 'l', n: 0 }, body: { page: { of: 'globals', globals: { m0_md_redundancy: 1 } } } }),
  },
  putMeroServers: {
    about: ({ zone }) => ({
      params: { zone, load: 'l', n: 0 },
      body: { servers: [{ at: 1, next: 2, server: { m0h_fqdn: 'ssu1.acme.org', m0h_processes: [] } }] },
    }),
  },
  finishMeroLoad: { about: ({ zone }) => ({ params: { zone, load: 'l' }, body: {} }) },
  deleteMeroLoad: { about: ({ zone }) => ({ params: { zone, load: 'l' } }) },
  getMeroFacts: { about: ({ zone }) => ({ params: { zone } }) },
  syncMero: { about: ({ zone }) => ({ params: { zone }, body: {} }) },
  editMeroVars: { about: ({ zone }) => ({ params: { zone }, body: { vars: {} } }) },
  explain: { about: ({ node }) => ({ params: { kind: 'node', id: node } }) },
  history: { about: ({ system }) => ({ params: { kind: 'system', id: system } }) },
  getSettings: { zoneless: 'how fast nodes beat is one for all zones, and every node is told' },
  editSettings: { everywhere: { body: { beatMinMs: 5_000 } } },
  openapi: { zoneless: 'it is the same for everybody' },
};
const routes = Object.entries(adminRoutes) as [keyof typeof adminRoutes, Route][];

const thingsOf = (zone: string, n: number): Things => ({
  zone,
  node: nodeId(n),
  fqdn: `node${n}.acme.org`,
  system: fpOf(`web of ${zone}`),
  token: `${n}`.repeat(12),
});
const [ours, theirs, nowhere] = [thingsOf(alpha, 1), thingsOf(beta, 2), thingsOf('gamma', 3)];

let shell: TestShell;
let limited: { readonly authorization: string };
beforeEach(async () => {
  shell = aShell();
  await inhabited(alpha, 2, ours);
  await inhabited(beta, 3, theirs);
  limited = showing((await aKey(shell, rightsOf(adminScopes, [alpha]))).text);
  await call('status', {});
});

/** A zone with a node and a client system. */
async function inhabited(zone: ZoneName, number: number, { node, fqdn, system }: Things): Promise<void> {
  await applyPlan(shell, { id: `zone ${zone}` }, async () => planZone(zone, number, shell.now()));
  const put = (noun: string, id: string, body: object) => ({ ref: { noun, id }, readRev: 0, decision: write(body, `of ${zone}`) });
  await applyPlan(shell, { id: `things of ${zone}` }, async () => ({
    because: ['a test'],
    changes: [
      put('node', node, aNode({ id: node as never, fqdn: fqdn as Fqdn, zone })),
      put('fqdn', fqdn, { node }),
      put('client', system, aClient({ fp: system as never, zone, fqdn: `web.${zone}.org` as Fqdn })),
    ],
  }));
}

/** A route's answer to the limited caller, unless headers say who calls. */
async function call(name: keyof typeof adminRoutes, { params, query = '', body }: Call, headers: object = limited) {
  const route: Route = adminRoutes[name];
  const sent = { method: route.method, path: pathOf(route, params as never), query, body: body ? JSON.stringify(body) : '' };
  const json = body && { 'content-type': 'application/json' };
  const reply = await admin.handle(aRequest({ ...sent, headers: { ...json, ...headers } }), shell);
  return { status: reply.status, text: reply.body ?? '' };
}

/** All that a list shows to the limited caller, page by page. */
async function everyPage(name: keyof typeof adminRoutes, asked: Call): Promise<string> {
  let text = '';
  const own = asked.query ?? '';
  for (let query = own; ; ) {
    const page = await call(name, { ...asked, query });
    expect(page.status).toBe(200);
    text += page.text;
    const { next } = JSON.parse(page.text) as { next?: string };
    if (next === undefined) return text;
    query = `${own}&cursor=${next}`;
  }
}

/** What the table says of things, but for what the caller left of itself. */
const stored = () =>
  JSON.stringify(
    [...shell.table.rows.values()].filter(({ key }) => !/^(api-key|attempt|audit)/.test(key.pk)).map(({ key, rev }) => [key, rev]),
  );

/** An answer without the names that were asked for: all in which that of a hidden thing and that of none may differ. */
const without = (things: Things, text: string): string =>
  Object.values(things).reduce((rest: string, name) => rest.replaceAll(name, '…'), text);

describe('whoever is limited to a zone', () => {
  it('is thought of in every route of the admin API', () => {
    expect(Object.keys(probes).sort()).toEqual(Object.keys(adminRoutes).sort());
    for (const [name, { scope }] of routes) expect([...adminScopes, 'anyone'], name).toContain(scope);
    expect(routes.filter(([, { scope }]) => scope === 'anyone').map(([name]) => name)).toEqual([
      'signIn',
      'waysToSignIn',
      ...['getSession', 'beginSession', 'endSession', 'renewSession', 'beginAtIssuer', 'returnFromIssuer'],
    ]);
  });

  it('reaches for no other zone by an order for a query, which leaves it out', async () => {
    const found = await call('findSystems', { query: 'q=name:*&expect=yes' });
    const body = { query: 'name:*', expect: JSON.parse(found.text).expect, zone: alpha };
    const first = await call('accept', { body });
    const { text } = await call('accept', { body: { ...body, cursor: JSON.parse(first.text).next } });
    expect(JSON.parse(text)).toMatchObject({ results: [{ fp: ours.system, done: false }], left: 0 });

    const attempts = [...shell.table.rows.values()].filter(({ key }) => key.pk.startsWith('attempt#'));
    expect(attempts.map(({ because }) => because)).toEqual([expect.not.stringContaining(beta)]);
  });

  it.each(routes.filter(([, { scope }]) => scope !== 'anyone'))('%s › is for nobody without a token', async (name) => {
    const probe = probes[name];
    const asked =
      'about' in probe
        ? probe.about(theirs)
        : 'shows' in probe
          ? probe.shows
          : 'everywhere' in probe
            ? probe.everywhere
            : { params: { id: '0123456789ab', number: '1500000000' } };
    const before = stored();
    expect((await call(name, asked, {})).status).toBe(401);
    expect((await call(name, asked, { authorization: 'Bearer mak_x' })).status).toBe(401);
    expect(stored()).toBe(before);
  });

  for (const [name, probe] of Object.entries(probes) as [keyof typeof adminRoutes, Probe][]) {
    if ('about' in probe)
      it(`${name} › is answered about what is of another zone as about what there is not`, async () => {
        const before = stored();
        const [hidden, none] = [await call(name, probe.about(theirs)), await call(name, probe.about(nowhere))];
        expect({ ...hidden, text: without(theirs, hidden.text) }).toEqual({ ...none, text: without(nowhere, none.text) });
        expect(stored()).toBe(before);
        // The same call is understood where the thing is the caller's own, and by whoever is limited to no zone.
        expect((await call(name, probe.about(ours))).text).not.toBe(hidden.text);
        expect((await call(name, probe.about(theirs), asOperator)).text).not.toBe(hidden.text);
      });
    if ('about' in probe)
      it(`${name} › is in the audit when it is about what is not there for the caller, and says for whom audits why`, async () => {
        const attempts = () =>
          [...shell.table.rows.values()].filter(({ key }) => key.pk.startsWith('attempt#')).map(({ because }) => because);
        await call(name, probe.about(theirs));
        expect(attempts()).toEqual([expect.stringMatching(/: it belongs to beta\b.*, where the caller has no rights$/)]);
        await call(name, probe.about(nowhere));
        expect(attempts()).toHaveLength(2);
      });
    if ('shows' in probe)
      it(`${name} › shows nothing of another zone`, async () => {
        for (const zone of [alpha, beta]) {
          await call('createNodeToken', { body: { nodes: 'node8.acme.org', zone } }, asOperator);
          await call('createOnboardingToken', { body: { zone } }, asOperator);
        }
        const text = await everyPage(name, probe.shows);
        for (const told of [beta, theirs.node, theirs.fqdn, theirs.system]) expect(text).not.toContain(told);
        if (!name.endsWith('Audit')) expect(text).toContain(alpha);
      });
    if ('everywhere' in probe)
      it(`${name} › is refused: it concerns the whole deployment`, async () => {
        const before = stored();
        const { status, text } = await call(name, probe.everywhere);
        expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('urn:muster:problem:insufficient-scope') });
        expect(stored()).toBe(before);
        expect((await call(name, probe.everywhere, asOperator)).status).not.toBe(403);
      });
  }

  it.each(['node', 'zone', 'system', 'stations', 'site-orders'] as const)(
    'does not learn of a %s of another zone why it is so, nor what happened to it',
    async (kind) => {
      const idOf = (things: Things) =>
        ({ node: things.fqdn, system: things.system, zone: things.zone, stations: things.zone, 'site-orders': things.zone })[kind];
      for (const name of ['explain', 'history'] as const) {
        const [hidden, none] = [
          await call(name, { params: { kind, id: idOf(theirs) } }),
          await call(name, { params: { kind, id: idOf(nowhere) } }),
        ];
        expect(hidden.status).toBe(404);
        expect(without(theirs, hidden.text)).toBe(without(nowhere, none.text));
        expect((await call(name, { params: { kind, id: idOf(ours) } })).status).toBe(200);
      }
    },
  );

  it.each<[keyof typeof adminRoutes, (things: Things) => string]>([
    ['listNodes', ({ zone }) => `zone=${zone}`],
    ['listSystems', ({ zone }) => `zone=${zone}`],
    ['listSystems', ({ node }) => `node=${node}`],
    ['listSystems', ({ fqdn }) => `node=${fqdn}`],
  ])('%s › filtered by what is of another zone is answered as by what there is not', async (name, query) => {
    const [hidden, none] = [await call(name, { query: query(theirs) }), await call(name, { query: query(nowhere) })];
    expect({ ...hidden, text: without(theirs, hidden.text) }).toEqual({ ...none, text: without(nowhere, none.text) });
    expect((await call(name, { query: query(ours) })).status).toBe(200);
  });

  it.each(['createNodeToken', 'createOnboardingToken'] as const)('cannot revoke what %s has made for another zone', async (create) => {
    const revoke = create === 'createNodeToken' ? 'revokeNodeToken' : 'revokeOnboardingToken';
    const made = async (zone: string) => {
      const { text } = await call(create, { body: { zone, ...(create === 'createNodeToken' && { nodes: 'node8.acme.org' }) } }, asOperator);
      return (JSON.parse(text) as { token: { id: string } }).token.id;
    };
    const [own, hidden] = [await made(alpha), await made(beta)];
    expect((await call(revoke, { params: { id: hidden }, body: {} })).status).toBe(404);
    expect((await call(revoke, { params: { id: own }, body: {} })).status).toBe(200);
  });

  it('is not told how many nodes all zones have together', async () => {
    const settings = async (headers?: object) => JSON.parse((await call('getSettings', {}, headers as never)).text) as object;
    expect(await settings()).not.toHaveProperty('admittedNodes');
    expect(await settings(asOperator)).toHaveProperty('admittedNodes');
  });

  it('sees who waits for its zone, whatever it may do there, and nobody who waits for another or for none', async () => {
    const [pooled, others, none] = [fpOf('asks for alpha'), fpOf('asks for beta'), fpOf('asks')] as const;
    const put = (fp: string, zone?: ZoneName) => ({
      ref: { noun: 'client', id: fp },
      readRev: 0,
      decision: write(aClient({ standing: 'pooled', fp, ...(zone && { zone }) } as never), 'knocked'),
    });
    await applyPlan(shell, { id: 'pool' }, async () => ({
      because: ['a test'],
      changes: [put(pooled, alpha), put(others, beta), put(none)],
    }));
    const seen = async (rights: Parameters<typeof aKey>[1]) => {
      const headers = showing((await aKey(shell, rights)).text);
      const { text } = await call('listSystems', { query: 'status=new' }, headers);
      const listed = [pooled, others, none].filter((fp) => text.includes(fp));
      for (const fp of [pooled, others, none])
        expect((await call('getSystem', { params: { fp } }, headers)).status).toBe(listed.includes(fp) ? 200 : 404);
      return listed;
    };
    for (const scope of adminScopes) expect(await seen(rightsOf([scope], [alpha])), scope).toEqual([pooled]);
    expect(await seen(rightsOf(['read'], [alpha, beta]))).toEqual([pooled, others]);
    expect(await seen(rightsOf(['read'], 'all'))).toEqual([pooled, others, none]);
  });

  it.each<[keyof typeof adminRoutes, Call]>([
    ['status', {}],
    ['listZones', {}],
    ['getZone', { params: { zone: 'default' } }],
    ['editZone', { params: { zone: 'default' }, body: {} }],
    ['accept', { body: { systems: [theirs.system] } }],
    ['admitHosts', { body: { hosts: ['node9.acme.org'] } }],
    ['createNodeToken', { body: { nodes: 'node9.acme.org' } }],
    ['createOnboardingToken', { body: {} }],
  ])('%s › does not make the zone default, which is none of his', async (name, asked) => {
    const isThere = async () => (await shell.table.read(keyOf({ noun: 'zone', id: 'default' }))) !== undefined;
    await call(name, asked);
    expect(await isThere()).toBe(false);
    await call(name, asked, asOperator);
    expect(await isThere()).toBe(true);
  });

  it('may look at one zone and operate another: what it may not change answers as if it were not there', async () => {
    const mixed = showing((await aKey(shell, { read: [beta], operate: [alpha] })).text);
    expect((await call('getNode', { params: { id: theirs.node } }, mixed)).status).toBe(200);
    expect((await call('editNode', { params: { id: theirs.node }, body: { weight: 2 } }, mixed)).status).toBe(404);
    expect((await call('editNode', { params: { id: ours.node }, body: { weight: 2 } }, mixed)).status).toBe(200);
  });

  describe('where something comes into another zone while he looks', () => {
    /** What is of our zone is of theirs from the moment on at which the table is asked so, and before it answers. */
    const moves = (asked: 'commit' | 'queryIndex', noun: 'node' | 'client', id: string) => {
      const { table } = shell;
      const original = (table[asked] as (...given: unknown[]) => Promise<unknown>).bind(table);
      const moving = async (...given: unknown[]) => {
        const page = asked === 'queryIndex' ? await original(...given) : undefined;
        (table as unknown as Record<string, unknown>)[asked] = original;
        const row = (await table.read(keyOf({ noun, id })))!;
        const change = { ref: { noun, id }, readRev: row.rev, decision: write({ ...(row.body as object), zone: beta }, 'moved') };
        await applyPlan(shell, { id: 'a move' }, async () => ({ because: ['a test'], changes: [change] }));
        return page ?? original(...given);
      };
      (table as unknown as Record<string, unknown>)[asked] = moving;
    };
    const zoneOfSystem = async () =>
      (await shell.table.read(keyOf({ noun: 'client', id: ours.system })))?.body as { zone: string; tags: string[] };

    it('edits no client system of it', async () => {
      moves('commit', 'client', ours.system);
      expect(await call('editSystem', { params: { fp: ours.system }, body: { tags: ['mine'] } })).toEqual({
        status: 404,
        text: expect.stringContaining('urn:muster:problem:unknown-system'),
      });
      expect(await zoneOfSystem()).toMatchObject({ zone: beta, tags: [] });
    });

    it('is not told where a client system is that he would accept', async () => {
      const { text } = await call('accept', { body: { systems: [ours.system], zone: alpha } });
      expect(text).toContain('already accepted into zone alpha');
      // What is decided upon is read by itself, after the row by which he was let to it.
      const readMany = shell.table.readMany.bind(shell.table);
      const { pk } = keyOf({ noun: 'client', id: ours.system });
      shell.table.readMany = async (keys) =>
        (await readMany(keys)).map((row) => (row?.key.pk === pk ? { ...row, body: { ...(row.body as object), zone: beta } } : row));
      expect((await call('accept', { body: { systems: [ours.system], zone: alpha } })).text).toContain('this key never knocked');
    });

    it('is shown no node of it', async () => {
      moves('queryIndex', 'node', ours.node);
      expect(await call('listNodes', {})).toEqual({ status: 200, text: JSON.stringify({ items: [] }) });
    });
  });
});
