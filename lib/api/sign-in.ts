/**
 * The ports of this machine at which the command line waits for a browser to return from a sign-in; it uses the second
 * when the first is taken. They are fixed, because many providers compare whole addresses. They are below the range
 * that systems give away at random.
 */
export const signInPorts = [21863, 21864] as const;

/**
 * The address to which a browser returns. It has `localhost` and not its number, because Cognito accepts http for that
 * name alone. Another program that answers under the name cannot use the code without the secret that proves whose it
 * is (RFC 7636).
 */
export const redirectAt = (port: number): string => `http://localhost:${port}/callback`;
