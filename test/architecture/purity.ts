import { type Parsed, type Syntax, type Violation, walk } from './sources.ts';

/** Where the world comes in: shells, hosts, programs, and what measures or shows them. */
const worldly =
  /^lib\/runtime\/(shell|aws-shell|env)\.ts$|^lib\/ports\/checks\/worker\.ts$|^(programs\/local|infra|tools|docs|ui)\/|^programs\/(agent|client|cli|gateway)\/main\.ts$|^programs\/loadtest\/machine\.ts$/;

/**
 * Who calls over fetch, or runs a program, bounds each call in time; that is a limit on the network or the program, not
 * a clock.
 */
const boundsCalls = /^lib\/(api\/client|ports\/issuer\/published-keys|machine\/group|ports\/outbound\/https)\.ts$/;

const members: Readonly<Record<string, string>> = {
  'Date.now': 'a clock',
  'performance.now': 'a clock',
  'process.hrtime': 'a clock',
  'process.env': 'the environment',
  'Math.random': 'chance',
  'crypto.randomUUID': 'chance',
  'crypto.getRandomValues': 'chance',
  'AbortSignal.timeout': 'a timer',
};
const names: Readonly<Record<string, string>> = {
  randomUUID: 'chance',
  randomBytes: 'chance',
  randomInt: 'chance',
  setTimeout: 'a timer',
  setInterval: 'a timer',
  setImmediate: 'a timer',
};

/** Clocks, timers, chance and environment where only values may come in. */
export function purityViolations(file: Parsed): Violation[] {
  if (worldly.test(file.path)) return [];
  const found: Violation[] = [];
  const refuse = (node: Syntax, what: string, name: string): void => {
    const line = file.lineOf(node);
    const why = `uses ${name}, ${what}: time, chance and environment come in as values, by the shell`;
    if (!found.some((other) => other.line === line && other.why === why)) found.push({ file: file.path, line, why });
  };
  for (const { from, line } of file.imports)
    if (/^node:(timers|perf_hooks)/.test(from))
      found.push({ file: file.path, line, why: `imports ${from}, a timer: time comes in as a value, by the shell` });
  walk(file.body, (node) => {
    const name = nameOf(node);
    if (name === undefined) return;
    const what = members[name] ?? names[name];
    if (what !== undefined && !(name === 'AbortSignal.timeout' && boundsCalls.test(file.path))) refuse(node, what, name);
    if (name === 'new Date()') refuse(node, 'a clock', name);
  });
  return found;
}

/** What a node names: a call or import of a bare name, a member of a global, a date without a moment. */
function nameOf(node: Syntax): string | undefined {
  const callee = node['callee'] as Syntax | undefined;
  if (node.type === 'MemberExpression') return memberOf(node);
  if (node.type === 'ImportSpecifier') return (node['imported'] as { name?: string }).name;
  if (node.type === 'CallExpression' && callee?.type === 'Identifier')
    return callee['name'] === 'Date' ? 'new Date()' : String(callee['name']);
  if (node.type === 'NewExpression' && callee?.['name'] === 'Date' && (node['arguments'] as unknown[]).length === 0) return 'new Date()';
  return undefined;
}

/** `process.env` and `globalThis.process.env` alike. */
function memberOf(node: Syntax): string | undefined {
  const object = node['object'] as Syntax;
  const property = node['property'] as Syntax;
  const key = property['name'] ?? property['value'];
  const base =
    object.type === 'Identifier' ? object['name'] : object.type === 'MemberExpression' ? (object['property'] as Syntax)['name'] : undefined;
  return typeof base === 'string' && typeof key === 'string' ? `${base}.${key}` : undefined;
}
