import { type Parsed, type Syntax, walk } from './sources.ts';

/** What the compiler is told to believe in some files, by how. */
export type Casts = {
  /** `x as T`, but for `as const`. */
  readonly as: number;
  /** `x!`. */
  readonly nonNull: number;
  /** `stateOf<T>(row, now)`: what a row holds is said where it is read, and not by its reference. */
  readonly stateOf: number;
  /** `{ noun: 'node', id }`: a reference that does not know its row. */
  readonly literal: number;
};

/** Counts casts in the product's files below a folder, each place once. */
export function castsIn(files: readonly Parsed[], folder: string): Casts {
  const counts = { as: 0, nonNull: 0, stateOf: 0, literal: 0 };
  for (const { path, body } of files)
    if (path.startsWith(folder))
      walk(body, (node) => {
        const kind = kindOf(node);
        if (kind) counts[kind] += 1;
      });
  return counts;
}

function kindOf(node: Syntax): keyof Casts | undefined {
  switch (node.type) {
    case 'TSAsExpression':
      return isConst(node['typeAnnotation'] as Syntax) ? undefined : 'as';
    case 'TSNonNullExpression':
      return 'nonNull';
    case 'CallExpression':
      return (node['callee'] as { name?: string }).name === 'stateOf' && node['typeArguments'] ? 'stateOf' : undefined;
    case 'ObjectExpression':
      return isReference(node['properties'] as Syntax[]) ? 'literal' : undefined;
    default:
      return undefined;
  }
}

const isConst = (type: Syntax): boolean => (type['typeName'] as { name?: string } | undefined)?.name === 'const';

/** An object of a noun that is written out, and an id. */
const isReference = (properties: readonly Syntax[]): boolean =>
  properties.length === 2 &&
  properties.map((one) => (one['key'] as { name?: string } | undefined)?.name).join() === 'noun,id' &&
  (properties[0]!['value'] as Syntax).type === 'Literal';
