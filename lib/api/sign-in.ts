/**
 * The ports of this machine at which the command line waits for a browser to come back from a sign-in, the second when
 * the first is taken. They are fixed because many providers compare whole addresses, and below the range that systems
 * give away at random.
 */
export const signInPorts = [21863, 21864] as const;

/**
 * Where a browser comes back to. `localhost` and not its number, because Cognito takes http for that name alone;
 * whoever else might answer under the name has no use for the code without the secret that proves whose it is (RFC
 * 7636).
 */
export const redirectAt = (port: number): string => `http://localhost:${port}/callback`;
