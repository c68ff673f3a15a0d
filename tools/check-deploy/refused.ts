import { Problem, problemTypeOf } from '../../lib/api/problem.ts';
import { NotAsExpected } from './progress.ts';

/** A call as it goes over the wire: the path with its query, as the functions see it. */
export type RawCall = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Makes a call exactly as it is given. */
export type RawFetch = (call: RawCall) => Promise<Response>;

/** Makes calls of the API at this address. */
export const rawFetch =
  (base: string): RawFetch =>
  ({ method, path, headers = {}, body }) =>
    fetch(`${base}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    });

/** The refusal that a call must get. */
export type Expected = readonly [status: number, type: string];

/**
 * Makes calls as an attacker would. Throws {@link NotAsExpected} naming each that was not refused exactly as it should
 * be; the refusal must be problem+json, and must not reveal anything internal.
 */
export async function allRefused(
  send: RawFetch,
  attacks: readonly (readonly [name: string, call: RawCall, expected: Expected])[],
): Promise<number> {
  const wrong: string[] = [];
  for (const [name, call, expected] of attacks) {
    const response = await send(call);
    const seen = await shortOf(response);
    if (seen !== expected.join(' ')) wrong.push(`${name}: expected ${expected.join(' ')}, seen ${seen}`);
  }
  if (wrong.length > 0) throw new NotAsExpected(`${attacks.length} attacks to be refused`, wrong.join('\n           '));
  return attacks.length;
}

async function shortOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.headers.get('content-type') !== 'application/problem+json') return `${response.status} ${text.slice(0, 200)}`;
  const problem = Problem.parse(JSON.parse(text));
  return `${response.status} ${problemTypeOf(problem)}${/\bat .*:\d+:\d+|BEGIN |dynamodb|arn:aws/i.test(text) ? ` that tells too much: ${text}` : ''}`;
}
