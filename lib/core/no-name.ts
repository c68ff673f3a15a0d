import type { Fqdn } from './ids.ts';

/**
 * Names that every machine has for itself (RFC 6761, 6.3, and the hosts files of distributions): a machine that was
 * given no other calls itself so.
 */
const ofEveryMachine = /^(localhost\d*|ip6-localhost|ip6-loopback)(\.|$)|\.localhost$/;

/** Whether a name names no machine, such as `localhost.localdomain`: it tells no two machines apart. */
export const isNoName = (fqdn: Fqdn): boolean => ofEveryMachine.test(fqdn);
