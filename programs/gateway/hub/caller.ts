import type { GatewayEnd } from '../asking.ts';
import type { GatewaySession } from '../sessions.ts';

/**
 * The person who makes a call by the names of the hub: their session, by its key. For the log, `actsAs` gets the logins
 * by which the call goes on to servers, and `signedOut` how servers ended sessions there that the call has replaced.
 */
export type Caller = {
  readonly key: string;
  readonly session: GatewaySession;
  readonly actsAs: Set<string>;
  readonly signedOut: GatewayEnd[];
};

/** What a caller has at servers that they name: their own sessions, or those of whom they have attached as. */
export const atNamed = ({ session }: Caller): GatewaySession => ({
  ...session,
  nodes: new Map([...session.nodes, ...[...session.attached].map(([node, { at }]) => [node, at] as const)]),
});
