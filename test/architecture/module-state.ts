import { type Parsed, type Syntax, type Violation, walk } from './sources.ts';

/** One import of a module serves many environments at a time, so these remember nothing between calls. */
const stateless = /^(lib|functions)\//;
const why = (what: string): string =>
  `${what}: a module remembers nothing, because one import serves many environments; caches live on the shell`;

const mutators = /^(add|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift)$/;
const containers = /^(Array|Map|Set|WeakMap|WeakSet)$/;

/** Values at the top of a module that some later call could change. */
export function stateViolations(file: Parsed): Violation[] {
  if (!stateless.test(file.path)) return [];
  const mutated = mutatedNames(file);
  return file.body.flatMap((statement) => {
    const declared = (statement['declaration'] as Syntax | null | undefined) ?? statement;
    const kept =
      declared.type === 'ClassDeclaration'
        ? staticFields(declared)
        : declared.type === 'VariableDeclaration'
          ? changing(declared, mutated)
          : [];
    return kept.map(({ at, what }) => ({ file: file.path, line: file.lineOf(at), why: why(what) }));
  });
}

type Kept = { readonly at: Syntax; readonly what: string };

/** The variables of a declaration that can change, or whose value can. */
function changing(declared: Syntax, mutated: ReadonlySet<string>): Kept[] {
  return (declared['declarations'] as Syntax[]).flatMap((variable): Kept[] => {
    const { name = 'a pattern' } = variable['id'] as { name?: string };
    if (declared['kind'] !== 'const') return [{ at: declared, what: `${String(declared['kind'])} ${name}` }];
    if (mutated.has(name)) return [{ at: declared, what: `${name} is changed in place` }];
    const what = stateIn(variable);
    return what === undefined ? [] : [{ at: declared, what: `${name} ${what}` }];
  });
}

/** What makes the value of a constant something that changes; undefined when nothing does. */
function stateIn(variable: Syntax): string | undefined {
  const { value, isReadonly } = bare(variable);
  if (!value || isReadonly) return undefined;
  const { name } = (value['callee'] ?? {}) as { name?: string };
  if (value.type === 'NewExpression' && containers.test(name ?? '')) return `is a ${name} that can be added to`;
  if (value.type === 'ArrayExpression' && (value['elements'] as unknown[]).length === 0)
    return 'is an empty list, of use only to be filled';
  if (value.type === 'ObjectExpression' && (value['properties'] as unknown[]).length === 0)
    return 'is an empty object, of use only to be filled';
  if (value.type === 'CallExpression' && /Function/.test((value['callee'] as Syntax).type))
    return 'is made by a function that may keep something';
  const flags = (value['regex'] as { flags?: string } | undefined)?.flags ?? '';
  if (/[gy]/.test(flags)) return 'is a pattern that remembers where it was';
  return undefined;
}

/** A constant's value without what only types it, and whether its type says that nobody may change it. */
function bare(variable: Syntax): { value: Syntax | undefined; isReadonly: boolean } {
  let value = variable['init'] as Syntax | undefined;
  let isReadonly = saysReadonly((variable['id'] as Syntax)['typeAnnotation']);
  while (value && /^TS(As|Satisfies|NonNull)Expression$|^ParenthesizedExpression$/.test(value.type)) {
    isReadonly ||= saysReadonly(value['typeAnnotation']);
    value = value['expression'] as Syntax;
  }
  const callee = value?.['callee'] as Syntax | undefined;
  const isFrozen = callee?.type === 'MemberExpression' && (callee['property'] as { name?: string }).name === 'freeze';
  return { value, isReadonly: isReadonly || isFrozen };
}

function saysReadonly(annotation: unknown): boolean {
  let says = false;
  walk(annotation, (node) => {
    if (node.type === 'TSTypeReference' && /^(const|Readonly\w*)$/.test(String((node['typeName'] as { name?: string }).name))) says = true;
    if (node.type === 'TSTypeOperator' && node['operator'] === 'readonly') says = true;
  });
  return says;
}

/**
 * Names whose members are assigned, deleted or changed by a method, anywhere in the module, and that the module itself
 * declares.
 */
function mutatedNames(file: Parsed): ReadonlySet<string> {
  const names = new Set<string>();
  walk(file.body, (node) => {
    const callee = node['callee'] as Syntax | undefined;
    const isMutating = callee?.type === 'MemberExpression' && mutators.test(String((callee['property'] as { name?: string }).name));
    const target =
      node.type === 'AssignmentExpression'
        ? node['left']
        : node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node['operator'] === 'delete')
          ? node['argument']
          : node.type === 'CallExpression' && isMutating
            ? callee
            : undefined;
    const name = ownerOf(target as Syntax | undefined);
    if (name !== undefined) names.add(name);
  });
  return names;
}

/** The name at the beginning of `a.b[c]`; undefined for a bare name, which `const` guards already. */
function ownerOf(target: Syntax | undefined): string | undefined {
  if (!target) return undefined;
  let at = target;
  while (at.type === 'MemberExpression' || at.type === 'TSNonNullExpression') at = (at['object'] ?? at['expression']) as Syntax;
  return at !== target && at.type === 'Identifier' ? String(at['name']) : undefined;
}

const staticFields = (declared: Syntax): Kept[] =>
  ((declared['body'] as Syntax)['body'] as Syntax[])
    .filter((member) => member.type === 'PropertyDefinition' && member['static'] === true && member['readonly'] !== true)
    .map((at) => ({ at, what: 'a static field that can be set' }));
