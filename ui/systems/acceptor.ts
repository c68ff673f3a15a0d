const kinds: Readonly<Record<string, string>> = { key: 'the key', token: 'the token', rule: 'the rule' };

/** Who accepted a client system, in words: a person by name, anything else by what it is: `the token 3f9a`. */
export function acceptorText(by: string): string {
  const [, kind = '', name = by] = /^(\w+):(.*)$/s.exec(by) ?? [];
  const what = kinds[kind];
  if (what !== undefined) return `${what} ${name}`;
  return kind === 'admin' ? name : by;
}
