/** A part of the project: which files, and what they may import. An entry that ends in `/` is a folder, any other a file or package. */
export type Layer = { readonly of: RegExp; readonly may: readonly string[]; readonly why: string };

const plain = ['lib/address.ts', 'lib/decision.ts', 'lib/errors.ts', 'lib/ids.ts', 'lib/units.ts', 'zod'];

/** The files of a noun that others read: its schema, and the pure readers of what it holds. Never what decides about it. */
const schemas = [
  'lib/admission/cidr.ts',
  'lib/admission/pattern.ts',
  'lib/admission/pooled-host.ts',
  'lib/admission/rules.ts',
  'lib/api-keys/api-key.ts',
  'lib/clients/client.ts',
  'lib/deployment/deployment.ts',
  'lib/desired/desired.ts',
  'lib/digests/digest.ts',
  'lib/hosts/host.ts',
  'lib/join-tokens/join-token.ts',
  'lib/nodes/node.ts',
  'lib/nodes/lease.ts',
  'lib/onboarding-tokens/onboarding-token.ts',
  'lib/systems/list.ts',
  'lib/zones/zone.ts',
  'lib/zones/loaded.ts',
  'lib/zones/roster.ts',
  'lib/zones/slots.ts',
  'lib/zones/standing.ts',
  'lib/zones/kept.ts',
  'lib/zones/turn.ts',
];
const nouns = [
  'admission',
  'api-keys',
  'clients',
  'deployment',
  'desired',
  'digests',
  'hosts',
  'join-tokens',
  'nodes',
  'onboarding-tokens',
  'systems',
  'zones',
];
const everyNoun = nouns.map((noun) => `lib/${noun}/`);
const ports = ['lib/bus/', 'lib/issuer/', 'lib/keys/', 'lib/queue/', 'lib/storage/', 'lib/table/'];
/** Where a program that talks to Muster from outside may look: the language on the wire, the contract, and what machines have in common. */
const outside = ['events/', 'lib/api/', 'lib/identity/', 'lib/machine/', 'lib/ids.ts', 'lib/units.ts', 'zod', 'node:', 'commander'];

/** Who may import whom: the first layer that a file is of counts, and a file of none is refused. A file may always import its own folder. */
export const layers: readonly Layer[] = [
  { of: /^events\//, may: ['events/', 'lib/ids.ts', 'lib/units.ts', 'zod'], why: 'the language on the wire rests on ids and units alone' },
  {
    of: /^functions\//,
    may: ['events/', 'lib/api/', 'lib/dispatch.ts', 'lib/doors/', 'lib/identity/', 'lib/runtime/', 'lib/sweep/', ...everyNoun],
    why: 'a function is a sentence that names a door, a schedule or a report; it holds no adapter',
  },
  {
    of: /^lib\/(address|decision|errors|ids|units)\.ts$/,
    may: [...plain, 'lib/identity/public-key.ts'],
    why: 'what everything rests on rests on nothing, but that a key knows which keys are none',
  },
  { of: /^lib\/dispatch\.ts$/, may: [...plain, 'events/', ...everyNoun], why: 'dispatch knows the nouns and nothing of how they are kept' },
  {
    of: /^lib\/[\w-]+\/view\.ts$/,
    may: [...plain, 'events/', 'lib/identity/', 'lib/api/views.ts', ...schemas],
    why: 'a view turns a row into what the contract shows, and knows nothing else',
  },
  {
    of: new RegExp(`^lib/(${nouns.join('|')})/`),
    may: [...plain, 'events/', 'lib/identity/', ...schemas],
    why: 'a slice decides by itself: it meets other nouns through their schemas and events, and never sees where rows are kept',
  },
  {
    of: /^lib\/api\//,
    may: [...plain, 'events/', 'lib/identity/', ...schemas],
    why: 'the contract is read by programs outside, which must not pull in what answers it',
  },
  {
    of: /^lib\/audit\//,
    may: [...plain, 'node:crypto'],
    why: 'how entries are chained, and when a chain holds, is pure: it knows no row and no noun',
  },
  { of: /^lib\/identity\//, may: ['lib/ids.ts', 'lib/keys/keys.ts', 'node:crypto'], why: 'keys and tokens are pure' },
  {
    of: /^lib\/machine\//,
    may: ['lib/errors.ts', 'lib/ids.ts', 'lib/units.ts', 'zod', 'node:', 'commander'],
    why: 'what programs on a machine have in common knows nothing of Muster',
  },
  {
    of: /^lib\/issuer\//,
    may: [...plain, 'lib/identity/', 'jose'],
    why: 'whether a token is to be believed is decided by what is in it and by the keys of its issuer, and by nothing else of ours',
  },
  {
    of: /^lib\/(bus|keys|queue|storage|table)\//,
    may: [...plain, ...ports, 'node:', '@aws-sdk/'],
    why: 'ports and adapters hold no logic: they import no noun, no door and no runtime',
  },
  {
    of: /^lib\/runtime\//,
    may: [
      ...plain,
      ...ports,
      'events/',
      'lib/api/',
      'lib/audit/',
      'node:',
      '@aws-sdk/',
      '@aws-lambda-powertools/logger',
      '@middy/core',
      'aws-lambda',
    ],
    why: 'the shell carries out what any noun decides, and so knows none of them',
  },
  {
    of: /^lib\/(doors|sweep)\//,
    may: [
      ...plain,
      ...everyNoun,
      'events/',
      'lib/api/',
      'lib/audit/',
      'lib/dispatch.ts',
      'lib/doors/',
      'lib/identity/',
      'lib/issuer/issuer.ts',
      'lib/keys/keys.ts',
      'lib/queue/queue.ts',
      'lib/runtime/',
      'lib/sweep/',
      'lib/table/keys.ts',
      'lib/table/table.ts',
      'node:crypto',
    ],
    why: 'doors and the sweep bring rows and decisions together; they see ports, never adapters',
  },
  { of: /^infra\/wiring\.ts$/, may: ['events/'], why: 'the wiring is plain data about events, read by four programs' },
  {
    of: /^infra\//,
    may: [
      'infra/',
      'events/',
      'lib/api/',
      'lib/identity/',
      'lib/issuer/settings.ts',
      'lib/runtime/env.ts',
      'lib/table/schema.ts',
      'lib/ids.ts',
      'lib/units.ts',
      'zod',
      'node:',
      'aws-cdk-lib',
      'aws-cdk-lib/',
      'cdk-nag',
      'constructs',
      'esbuild',
      'jose',
      '@aws-sdk/',
    ],
    why: 'the stacks are generated from the wiring; they know settings and schemas, not how anything works',
  },
  {
    of: /^local\//,
    may: [
      'functions/',
      'infra/wiring.ts',
      'lib/address.ts',
      'lib/api/',
      'lib/bus/',
      'lib/doors/admin/zones-of-caller.ts',
      'lib/doors/verify-admin.ts',
      'lib/errors.ts',
      'lib/identity/',
      'lib/ids.ts',
      'lib/issuer/',
      'lib/keys/',
      'lib/machine/folder.ts',
      'lib/queue/',
      'lib/runtime/',
      'lib/storage/',
      'lib/table/',
      'lib/units.ts',
      'zod',
      'node:',
    ],
    why: 'the embedded host binds functions to ports as AWS does, and knows no noun',
  },
  {
    of: /^agent\//,
    may: ['agent/', ...outside, 'lib/errors.ts', 'lib/desired/desired.ts', 'lib/zones/slots.ts'],
    why: 'an agent speaks the protocol; of the control plane it knows what it is told: desired state and slots',
  },
  {
    of: /^client\//,
    may: ['client/', ...outside, 'lib/errors.ts'],
    why: 'a client daemon speaks the protocol and knows nothing of the control plane',
  },
  {
    of: /^cli\/cost\//,
    may: [
      'cli/cost/',
      'agent/state.ts',
      'infra/wiring.ts',
      'lib/doors/intervals.ts',
      'lib/nodes/lease.ts',
      'lib/zones/slots.ts',
      'lib/units.ts',
    ],
    why: 'what a deployment costs follows from its wiring and from the intervals of its protocol, which are pure; nothing is called',
  },
  {
    of: /^cli\//,
    may: ['cli/', 'loadtest/', 'transfer/transfer.ts', ...outside, 'openid-client', 'package.json'],
    why: 'the CLI reads and steers through the contract alone',
  },
  {
    of: /^transfer\//,
    may: [
      'lib/errors.ts',
      'lib/ids.ts',
      'lib/machine/folder.ts',
      'lib/runtime/aws-whole.ts',
      'lib/storage/',
      'lib/table/',
      'lib/units.ts',
      'local/name.ts',
      'zod',
      'node:',
    ],
    why: 'what carries a deployment from one place to another knows how it is kept, and nothing of what is kept',
  },
  {
    of: /^loadtest\//,
    may: ['loadtest/', 'agent/', 'client/', ...outside],
    why: 'the load generator drives real agents and daemons in one process, and knows a deployment by its contract alone',
  },
  {
    of: /^docs\/examples\//,
    may: ['node:', 'aws-cdk-lib', 'aws-cdk-lib/', 'constructs'],
    why: 'an example is code of others: it knows Muster by its events alone',
  },
  {
    of: /^(bench|demo|docs)\/|^vitest\.config\.ts$/,
    may: [
      'agent/',
      'client/',
      'cli/',
      'demo/',
      'docs/',
      'events/',
      'functions/',
      'infra/',
      'lib/',
      'loadtest/',
      'local/',
      'test/simulation/',
      'test/support/',
      'zod',
      'node:',
      'autocannon',
      'vitest/',
    ],
    why: 'programs about Muster may look anywhere, at no package of their own',
  },
];

/** Whether one of the entries allows it. */
export const allows = (entries: readonly string[], from: string): boolean =>
  entries.some((entry) => (/[/:]$/.test(entry) ? from.startsWith(entry) : from === entry));

/** Packages and files that only named files may import, whatever their layer allows. */
export const reserved: readonly { readonly what: RegExp; readonly by: RegExp; readonly why: string }[] = [
  {
    what: /^@(aws-sdk|smithy)\//,
    by: /^lib\/(table\/(dynamo|dynamo-whole|codec)|queue\/sqs|bus\/eventbridge|keys\/secrets|keys\/secret-origin|runtime\/aws-[\w-]+)\.ts$|^infra\/check-deploy\//,
    why: 'an AWS SDK is in adapters only, so that everything else runs anywhere',
  },
  {
    what: /^lib\/(table\/(dynamo|dynamo-whole|codec)|queue\/sqs|bus\/eventbridge|keys\/secrets|keys\/secret-origin)\.ts$/,
    by: /^lib\/(table\/(dynamo|dynamo-whole|codec)|runtime\/(aws-[\w-]+|lambda))\.ts$/,
    why: 'an adapter is chosen by the host, never by who uses the port',
  },
  {
    what: /^jose$/,
    by: /^lib\/issuer\/(oidc|published-keys)\.ts$|^infra\/check-deploy\//,
    why: 'whether a token is to be believed is decided in one place',
  },
  {
    what: /^openid-client$/,
    by: /^cli\/sign-in\/oidc\.ts$/,
    why: 'it is loaded when somebody signs in, and by no other command',
  },
  {
    what: /^lib\/issuer\/(oidc|published-keys)\.ts$/,
    by: /^lib\/(issuer|runtime)\/|^(local|bench|docs)\//,
    why: 'an adapter is chosen by the host, never by who uses the port',
  },
  {
    what: /^lib\/(table|queue)\/sqlite\.ts$|^node:sqlite$/,
    by: /^lib\/(storage\/|(table|queue)\/sqlite\.ts$|machine\/folder\.ts$)|^bench\/commits\.ts$/,
    why: 'state is in one file, opened in one place; a machine locks its folder by one too, and a benchmark has it bare as its peer',
  },
  {
    what: /^lib\/keys\/(file|fixed)\.ts$|^lib\/(table|queue|bus)\/memory\.ts$/,
    by: /^(local|demo|bench|docs)\//,
    why: 'an adapter is chosen by the host, never by who uses the port',
  },
];
