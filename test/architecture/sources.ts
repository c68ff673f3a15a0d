import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseAst } from 'vitest/node';

/** The text of source files by their path from the project's root, with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

/** A rule that a file breaks, and why there is such a rule. */
export type Violation = { readonly file: string; readonly line: number; readonly why: string };

/** A node of the syntax tree as far as the rules look at it. */
export type Syntax = { readonly type: string; readonly start: number; readonly [field: string]: unknown };

/** One import or re-export of a file: of what, and which names of it; none for a whole module. */
export type Import = {
  readonly from: string;
  readonly names: readonly string[];
  readonly isWhole: boolean;
  /** It brings types alone, so that nothing is loaded for it. */
  readonly isType: boolean;
  readonly line: number;
};

/** A file as the rules see it. */
export type Parsed = {
  readonly path: string;
  readonly lines: number;
  readonly body: readonly Syntax[];
  readonly imports: readonly Import[];
  readonly lineOf: (node: Syntax) => number;
};

const root = join(import.meta.dirname, '../..');
/** Folders that hold no source of ours, or none that ships. */
const leftOut = /^(node_modules|test|cdk\.out|coverage|\..*)$/;

/** Every TypeScript file of the project but the tests. */
export const readSources = (): Sources =>
  new Map(
    globSync('**/*.{ts,tsx}', { cwd: root, exclude: (name) => leftOut.test(name) }).map((path) => [
      path.replaceAll('\\', '/'),
      readFileSync(join(root, path), 'utf8'),
    ]),
  );

/** A file's syntax and imports, types and `import()` included. Throws on what does not parse. */
export function parse(path: string, text: string): Parsed {
  const body = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }).body as unknown as Syntax[];
  const lineOf = ({ start }: Syntax): number => text.slice(0, start).split('\n').length;
  const imports: Import[] = [];
  walk(body, (node) => {
    const from = sourceOf(node, path);
    if (from !== undefined) imports.push({ from, names: namesOf(node), isWhole: isWhole(node), isType: isType(node), line: lineOf(node) });
  });
  return { path, lines: text.trimEnd().split('\n').length, body, imports, lineOf };
}

/** Calls `look` with every node below, parents first. */
export function walk(below: unknown, look: (node: Syntax) => void): void {
  if (typeof below !== 'object' || below === null) return;
  if (!Array.isArray(below) && typeof (below as Syntax).type === 'string') look(below as Syntax);
  for (const child of Object.values(below)) walk(child, look);
}

/**
 * What a node imports: a path of the project, or a package by its name; a computed path of the project by how it
 * begins.
 */
function sourceOf(node: Syntax, path: string): string | undefined {
  const source = node['source'] as Syntax | null | undefined;
  if (!source) return undefined;
  const text = source.type === 'TemplateLiteral' ? beginningOf(source) : (besideIn(source) ?? source['value']);
  if (typeof text !== 'string') return node.type === 'ImportExpression' ? 'something computed' : undefined;
  return text.startsWith('.') ? posix.join(posix.dirname(path), text) : text;
}

/** The path in `new URL('./objects.mjs', import.meta.url).href`, which names a program beside this one. */
function besideIn({ type, object, property }: Syntax & { object?: Syntax; property?: { name?: string } }): unknown {
  if (type !== 'MemberExpression' || property?.name !== 'href' || object?.type !== 'NewExpression') return undefined;
  const { callee, arguments: given = [] } = object as Syntax & { callee?: { name?: string }; arguments?: readonly { value?: unknown }[] };
  return callee?.name === 'URL' && given.length === 2 ? given[0]?.value : undefined;
}

const beginningOf = (template: Syntax): string => (template['quasis'] as { value: { cooked: string } }[])[0]!.value.cooked;

function namesOf(node: Syntax): string[] {
  const specifiers = (node['specifiers'] ?? []) as { imported?: { name?: string }; local?: { name?: string }; type: string }[];
  const qualifier = node['qualifier'] as { name?: string } | null | undefined;
  if (qualifier?.name !== undefined) return [qualifier.name];
  return specifiers.flatMap((one) => (one.type === 'ExportSpecifier' ? one.local?.name : one.imported?.name) ?? []);
}

const isWhole = (node: Syntax): boolean => {
  const specifiers = (node['specifiers'] ?? []) as { type: string }[];
  return specifiers.length === 1 && specifiers[0]!.type === 'ImportNamespaceSpecifier';
};

const isType = (node: Syntax): boolean => {
  const specifiers = (node['specifiers'] ?? []) as { importKind?: string; exportKind?: string }[];
  if (node.type === 'TSImportType' || node['importKind'] === 'type' || node['exportKind'] === 'type') return true;
  return specifiers.length > 0 && specifiers.every(({ importKind, exportKind }) => (importKind ?? exportKind) === 'type');
};
