import type { Directory } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { type JsonRequest, methodAt, NotJsonCall, readJsonCall } from '../../lib/uyuni/gateway/json-call.ts';
import { textOf } from '../../lib/uyuni/gateway/typed.ts';
import type { Fault } from '../../lib/uyuni/xml-rpc/value.ts';
import type { GatewayEnd } from './asking.ts';
import type { GatewayParts, Handled, Manner } from './gateway.ts';
import { faulty, whole } from './merging.ts';
import { sessionCookie } from './node-calls.ts';
import { jsonReplies } from './replies.ts';
import { isSessionKey, lifetimeMs } from './sessions.ts';
import { signIn, signOut } from './signing-in.ts';
import { inTheirOrder } from './their-order.ts';

/** Where people sign in and out; the first of each is that of the servers' own pages. */
const paths: Readonly<Record<string, 'in' | 'out'>> = {
  'POST login': 'in',
  'POST auth/login': 'in',
  'GET logout': 'out',
  'GET auth/logout': 'out',
  'POST auth/logout': 'out',
};
const wayOf = ({ verb, path }: JsonRequest): 'in' | 'out' | undefined => paths[`${verb} ${path}`];

/** Whether a request begins or ends a session. */
export const isOfSessions = (request: JsonRequest): boolean => wayOf(request) !== undefined;

const cookieOf = (value: string, seconds: number): string => `${sessionCookie}=${value}; Max-Age=${seconds}; Path=/; Secure; HttpOnly`;

/** The cookie by which the next calls are made. */
export const sessionCookies = (key: string): readonly string[] => [cookieOf(key, lifetimeMs / 1_000)];
/** The cookie that takes away any other. */
const noSession = cookieOf('', 0);

/** The key of a session in the cookies of a request; undefined for none, and for one that has not the form of a key. */
export function keyInCookies(header: string | undefined): string | undefined {
  const cookies = (header ?? '').split(';').map((one) => one.trim());
  const value = cookies.find((one) => one.startsWith(`${sessionCookie}=`))?.slice(sessionCookie.length + 1);
  return value !== undefined && isSessionKey(value) ? value : undefined;
}

const success = '{"success":true}';

/** The answer to a request that begins or ends a session. */
export async function handledJsonSession(
  parts: GatewayParts,
  directory: Directory,
  request: JsonRequest,
  key: string | undefined,
  manner: Manner,
): Promise<Handled> {
  const method = methodAt(request.path);
  if (wayOf(request) === 'in') return { method, writes: true, ...(await signedIn(parts, directory, request, manner)) };
  const outcome = key === undefined ? { fault: faults.noSuchSession('') } : await signOut(parts, directory.nodes(), key);
  const replies = jsonReplies([noSession]);
  return { method, writes: true, answer: 'fault' in outcome ? faulty(replies, outcome.fault) : whole(replies, success, outcome.ends) };
}

async function signedIn(
  parts: GatewayParts,
  directory: Directory,
  request: JsonRequest,
  manner: Manner,
): Promise<Pick<Handled, 'login' | 'answer'>> {
  const given = loginIn(request);
  if ('fault' in given) return { answer: faulty(jsonReplies(), given.fault) };
  const { login, password } = given;
  const params = [login, password].map((text) => ({ type: 'string', text }));
  const outcome = await signIn(parts, inTheirOrder(directory.nodes(), parts.circuits, login), params, manner);
  if ('fault' in outcome) return { login, answer: faulty(jsonReplies([noSession]), refusal(outcome.fault, outcome.ends), outcome.ends) };
  const replies = jsonReplies([noSession, ...sessionCookies(String(outcome.value))]);
  return { login, answer: whole(replies, success, outcome.ends) };
}

/** Servers say 401 to a wrong password. No refusal is a 200: some programs look at the status alone. */
const refusal = (fault: Fault, ends: readonly GatewayEnd[]): Fault => ({
  ...fault,
  http: { status: ends.some((end) => !end.ok && end.code === 'fault') ? 401 : 503 },
});

function loginIn(request: JsonRequest): { readonly login: string; readonly password: string } | { readonly fault: Fault } {
  try {
    const { args } = readJsonCall({ ...request, query: '' });
    const [login, password] = [textOf(args.get('login') ?? args.get('username')), textOf(args.get('password'))];
    if (login === undefined || password === undefined) throw new NotJsonCall(400, 'It takes the members login and password');
    return { login, password };
  } catch (error) {
    if (!(error instanceof NotJsonCall)) throw error;
    return { fault: error.fault };
  }
}
