import type { Conditions } from '../../infra/grants.ts';

/** A statement of a policy, as far as it says who may write what. */
export type Statement = {
  readonly Action: string | readonly string[];
  readonly Condition?: Conditions;
};

const listed = <T>(one: T | readonly T[]): readonly T[] => (Array.isArray(one) ? one : [one as T]);

/** A pattern of `StringLike`: `*` is anything, `?` any one sign. */
const like = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );

type Operator = (values: readonly string[] | undefined, expected: readonly string[]) => boolean;
/** The operators that our policies use, on all values of a key; undefined where the request has none. */
const operators: Readonly<Record<string, Operator>> = {
  'ForAllValues:StringLike': (values = [], expected) => values.every((value) => expected.some((pattern) => like(pattern).test(value))),
  Null: (values, [isNull]) => (values === undefined) === (isNull === 'true'),
};

/**
 * Whether IAM lets an action through by these statements, all of them of `Allow`, for a request whose keys are these.
 * Throws on operators it does not know.
 */
export function allows(
  statements: readonly Statement[],
  action: string,
  keys: Readonly<Record<string, readonly string[] | undefined>>,
): boolean {
  const holds = ([operator, expected]: [string, Conditions[string]]): boolean => {
    const judge = operators[operator];
    if (!judge) throw new Error(`nobody has written down what ${operator} means`);
    return Object.entries(expected).every(([key, values]) => judge(keys[key], listed(values)));
  };
  return statements.some(({ Action, Condition = {} }) => listed(Action).includes(action) && Object.entries(Condition).every(holds));
}

/** Whether a function may write to these partitions in one commit. */
export const mayWrite = (statements: readonly Statement[], pks: readonly string[] | undefined): boolean =>
  allows(statements, 'dynamodb:PutItem', { 'dynamodb:LeadingKeys': pks });
