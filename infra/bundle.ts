import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { type DirectWiring, type FunctionWiring, wiring } from './wiring.ts';

const root = join(import.meta.dirname, '..');
const bundles = join(root, '.muster', 'bundles');

/** A function of its own, or one route of another. */
type Bundled = FunctionWiring<string> & Partial<Pick<DirectWiring<string>, 'of' | 'route'>>;

/**
 * The entry of the function's bundle. It imports the adapters that the wiring lets the function use, and no other, and
 * hands them to its shell.
 */
function entryOf(name: string, { route, of, ...fn }: Bundled): string {
  const adapters = [
    { port: 'table', make: 'awsTable', used: true },
    { port: 'queue', make: 'awsQueue', used: fn.sends ?? fn.looksInto },
    { port: 'bus', make: 'awsBus', used: fn.publishes },
    { port: 'keys', make: 'awsKeys', used: fn.signs },
    { port: 'auditKeys', make: 'awsAuditKeys', used: fn.audits },
    { port: 'issuer', make: 'awsIssuer', used: fn.issuer },
    { port: 'outbound', make: 'awsOutbound', used: fn.calls },
    { port: 'checks', make: 'awsChecks', used: fn.checks },
    { port: 'objects', make: 'awsObjects', used: fn.objects },
    { port: 'pages', make: 'awsPages', used: fn.pages },
  ].filter(({ used }) => used);
  return [
    `import { lambda } from './lib/runtime/lambda.ts';`,
    `import { awsShell } from './lib/runtime/aws-shell.ts';`,
    `import declared from './functions/${of ?? name}.ts';`,
    ...(route === undefined ? [] : [`import { only } from './lib/runtime/direct.ts';`]),
    `import { ${[...adapters.map(({ make }) => make), ...(fn.routes ? ['awsOrigin'] : [])].join(', ')} } from './lib/runtime/aws-adapters.ts';`,
    `const adapters = { ${adapters.map(({ port, make }) => `${port}: ${make}`).join(', ')} };`,
    `const answering = ${route === undefined ? 'declared' : `only(declared, ${JSON.stringify(route)})`};`,
    `export const handler = lambda(answering, () => awsShell(adapters)${fn.routes ? ', awsOrigin' : ''});`,
  ].join('\n');
}

/** Programs in one file. */
const inOneFile = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  logLevel: 'error',
} as const satisfies BuildOptions;

/** Programs with clients of the SDK. */
const withSdk = {
  ...inOneFile,
  alias: { '@aws-sdk/credential-provider-node': join(root, 'infra', 'lambda-credentials.ts') },
  // Some dependencies of the SDK are CommonJS and call `require`, which ESM does not have.
  banner: { js: "import{createRequire as lambdaRequire}from'node:module';const require=lambdaRequire(import.meta.url);" },
} as const satisfies BuildOptions;

/**
 * Writes the bundle of a function of the wiring and returns its folder, which holds `index.mjs`, the program of the
 * checking thread where the function checks by schemas, that of objects where it uses any, and the files of the page
 * where it serves them: ESM for Node.js 24, minified, the SDK inside. The source map lies beside the folder, for
 * reading stack traces; it is not deployed. Throws the errors of esbuild.
 */
export function bundle(name: string): string {
  const fn: Bundled | undefined = ({ ...wiring.functions, ...wiring.direct } as Record<string, Bundled>)[name];
  if (!fn) throw new Error(`the wiring has no function ${name}`);
  const built = buildSync({
    ...withSdk,
    stdin: { contents: entryOf(name, fn), resolveDir: root, loader: 'ts', sourcefile: `${name}.entry.ts` },
    outfile: join(bundles, name, 'index.mjs'),
    sourcemap: 'external',
    write: false,
  });
  if (fn.objects) bundleObjects(join(bundles, name, 'objects.mjs'));
  if (fn.checks) bundleThread(join(bundles, name, 'check-thread.mjs'));
  if (fn.pages) bundlePages(join(bundles, name, 'page'));
  mkdirSync(join(bundles, name), { recursive: true });
  for (const { path, contents } of built.outputFiles) {
    writeFileSync(path.endsWith('.map') ? join(bundles, `${name}.mjs.map`) : path, contents);
  }
  return join(bundles, name);
}

/**
 * Writes the program by which a function asks S3, beside its own. It is loaded with the first object, so that neither
 * the start of the function nor its other calls pay for that client.
 */
const bundleObjects = (outfile: string): void =>
  void buildSync({ ...withSdk, entryPoints: [join(root, 'lib/ports/objects/bucket.ts')], outfile });

/** Writes the program of the checking thread, beside the function that starts it. */
const bundleThread = (outfile: string): void =>
  void buildSync({ ...inOneFile, entryPoints: [join(root, 'lib/ports/checks/thread.ts')], outfile });

/** Writes the files of the page. A process of its own builds them, because a stack is made without waiting. */
const bundlePages = (folder: string): void =>
  void execFileSync(process.execPath, [join(import.meta.dirname, 'bundle-page.ts'), folder], { stdio: ['ignore', 'inherit', 'inherit'] });

/** The code of a function as the stacks expect it. */
export const bundled = (name: string): Code => Code.fromAsset(bundle(name));
