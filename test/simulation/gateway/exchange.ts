import type { Directory } from '../../../lib/uyuni/gateway/directory.ts';
import { type Response, readResponse } from '../../../lib/uyuni/xml-rpc/read.ts';
import { NotXmlRpc, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import type { Received } from './line.ts';
import type { Account } from './played-server.ts';

/** What a session of the gateway is known to be: whose, since when, and until when it may be called with. */
export type Login = {
  readonly key: string;
  readonly account: Account;
  readonly lifetimeMs: number;
  /** When it was last called with. */
  lastAt: number;
  /** Whom its person has wanted to be at servers that they name. */
  readonly as: Account[];
  /** Whether its person has ended it, or is about to. */
  isOut: 'no' | 'perhaps' | 'yes';
};

/** One call of a person, before it is answered. */
export type Asked = {
  readonly method: string;
  readonly params: readonly Value[];
  /** The key that it is made with; undefined for none. */
  readonly key: string | undefined;
  /** The session of that key, if it is one that the gateway gave. */
  readonly login: Login | undefined;
  /** The numbers in the cluster of the systems that it is about. */
  readonly systems: readonly number[];
  /** A text that no other call has, in a call that writes. */
  readonly token: string | undefined;
  /** The numbers of the servers that it names, in a call of several; and whom it signs in there. */
  readonly servers?: readonly number[];
  readonly as?: readonly Account[];
  /** The number of the action that it asks about. */
  readonly follows?: number | undefined;
  readonly deadlineMs: number;
  readonly isStrict: boolean;
  readonly beganAt: number;
  /** Whether the session was certainly alive, or certainly over, when it began. */
  readonly session: 'alive' | 'over' | 'unsure';
};

/** One call and what came of it. */
export type Exchange = Asked & {
  readonly endedAt: number;
  /** The person went before the answer, or was slow in reading it. */
  readonly isLeft: boolean;
  readonly isSlow: boolean;
  readonly received: Received | undefined;
  /** The answer; undefined where there is none that can be read. */
  readonly response: Response | undefined;
  /** What the gateway knew about the cluster while it was asked, in order. */
  readonly directories: readonly Directory[];
  /** Servers that the answer names as failed, with the code; and how many systems of others were left out. */
  readonly failed: ReadonlyMap<string, string>;
  readonly leftOut: ReadonlyMap<string, number>;
};

/** The response in a document; undefined for what is none. */
export function responseIn(text: string): Response | undefined {
  try {
    return readResponse(text);
  } catch (error) {
    if (!(error instanceof NotXmlRpc)) throw error;
    return undefined;
  }
}

/** What the header of an answer says. */
export function failedIn(header: string | undefined): Pick<Exchange, 'failed' | 'leftOut'> {
  const named = (header?.split(', ') ?? []).map((one) => one.split(';') as [string, string]);
  const isLeftOut = ([, code]: [string, string]): boolean => code.startsWith('unknown-systems=');
  return {
    failed: new Map(named.filter((one) => !isLeftOut(one))),
    leftOut: new Map(named.filter(isLeftOut).map(([node, code]) => [node, Number(code.split('=')[1])])),
  };
}
