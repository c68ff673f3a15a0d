import { expect } from 'vitest';
import { signingHeaders } from '../../../lib/api/signed.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { aHost, type TestHost } from '../../../tools/support/host.ts';
import { signedBy } from '../../../tools/support/signing.ts';
import { changedSince, type Stored, storedIn } from '../../../tools/support/state.ts';
import { type RawAnswer, type RawCall, rawCall } from '../../support/raw-call.ts';

type Headers = Readonly<Record<string, string>>;

/** A call of an attacker: a body that is no text is sent as JSON, and `by` signs it as it then stands. */
export type Attack = Omit<RawCall, 'body'> & {
  readonly body?: unknown;
  readonly by?: KeyPair;
  /** When and under which nonce it is signed, and for whom; now, a new one and this host unless told otherwise. */
  readonly at?: { readonly nowMs?: number; readonly nonce?: string; readonly deployment?: string };
  /** What becomes of the headers once it is signed. */
  readonly tamper?: (headers: Headers) => Headers;
};

/** A host under attack, which remembers what it held and all that it said. */
export type Stronghold = TestHost & {
  readonly attack: (attack: Attack) => Promise<RawAnswer>;
  /** What must stand in no answer. */
  readonly keepSecret: (...secrets: readonly string[]) => void;
  /** From now on what it holds is what no attack may change; resolves when nothing is under way. */
  readonly settle: () => Promise<void>;
  /** The keys of rows that are new or other than they were, but for what the audit keeps. */
  readonly changes: () => Promise<string[]>;
  /** Fails if an attack changed a row, or an answer held a secret or told of our insides. */
  readonly unharmed: () => Promise<void>;
};

/** The audit keeps what was tried, and a list of what was refused lately: those rows are meant to come. */
const ofTheAudit = /^(attempt|audit|audited|audit-heads|onboarding-refusals)#/;
/** What no caller is told: frames of a stack, files of ours, and where rows are kept. */
const insides = /\n\s+at |node_modules|\.ts:\d|file:\/\/|SQLITE|muster\.db|UNIQUE constraint/i;

/** An embedded host to attack. No lease runs out meanwhile, so that what changes is changed by calls. */
export async function aStronghold(options: Parameters<typeof aHost>[0] = {}): Promise<Stronghold> {
  const host = await aHost({ beatMinMs: 60_000, ...options });
  const secrets = [host.operator];
  const said: string[] = [];
  let before: Stored = {};
  const changes = async (): Promise<string[]> => {
    await host.settled();
    return Object.keys(changedSince(before, storedIn(host.home))).filter((key) => !ofTheAudit.test(key));
  };
  return {
    ...host,
    changes,
    attack: async (attack) => {
      const answer = await rawCall(host.url, sent(attack));
      said.push(`${JSON.stringify(answer.headers)}\n${answer.text}`);
      return answer;
    },
    keepSecret: (...more) => void secrets.push(...more),
    settle: async () => {
      await host.settled();
      before = storedIn(host.home);
    },
    unharmed: async () => {
      expect(await changes()).toEqual([]);
      const kept = secrets.flatMap(partsOf);
      for (const text of said.splice(0)) {
        expect(kept.filter((secret) => text.includes(secret))).toEqual([]);
        expect(text).not.toMatch(insides);
      }
    },
  };
}

/** A secret as it is shown, and the part of it that nobody may know. */
const partsOf = (secret: string): string[] => {
  const [, , hidden] = /^m\w\w_(\w{12})_([\w-]{43})_/.exec(secret) ?? [];
  return hidden === undefined ? [secret] : [secret, hidden];
};

function sent({ by, at = {}, tamper = (headers) => headers, body: given, headers, ...call }: Attack): RawCall {
  const body = given === undefined || typeof given === 'string' ? given : JSON.stringify(given);
  const [path = '', query = ''] = call.path.split('?');
  const target = { method: call.method ?? 'GET', path, query, body: body ?? '' };
  const signature = by ? signedBy(by, target, { deployment: 'local', nowMs: Date.now(), ...at }) : {};
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return { ...call, ...(body !== undefined && { body }), headers: tamper({ ...json, ...signature, ...headers }) };
}

/**
 * A refusal as its status, its slug and its pointers. Throws what is none, or does not look like every other one (RFC
 * 9457).
 */
export function told({ status, headers, text }: RawAnswer): readonly (number | string)[] {
  if (headers['content-type'] !== 'application/problem+json') throw new Error(`no refusal: ${status} ${text}`);
  const problem = JSON.parse(text) as { type: string; status: number; errors?: { pointer: string }[] } & Record<string, unknown>;
  const known = ['type', 'title', 'status', 'detail', 'instance', 'errors'];
  expect(Object.keys(problem).filter((name) => !known.includes(name))).toEqual([]);
  expect(problem).toMatchObject({ status, title: expect.any(String), detail: expect.any(String), instance: expect.any(String) });
  const caching = headers['etag'] === undefined ? 'no-store' : 'private, no-cache';
  expect(headers).toMatchObject({ 'cache-control': caching, 'x-content-type-options': 'nosniff' });
  return [status, problem.type.replace('urn:muster:problem:', ''), ...(problem.errors ?? []).map(({ pointer }) => pointer)];
}

/** A refusal of a signature: it also says for whom to sign. */
export function toldSigner(answer: RawAnswer): readonly (number | string)[] {
  expect(answer.headers[signingHeaders.deployment]).toBe('local');
  return told(answer);
}

/** All that a refusal says, but for which call it was: two that say the same here cannot be told apart. */
export const shapeOf = ({ status, headers: { date: _date, ...headers }, text }: RawAnswer): unknown => {
  const { instance: _instance, ...problem } = JSON.parse(text) as Record<string, unknown>;
  const { 'content-length': _length, 'x-request-id': _call, ...others } = headers;
  return { status, headers: others, problem };
};
