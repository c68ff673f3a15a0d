/** The version of this Muster, as its API and its agents report it. */
export const musterVersion = '0.1.0';

/** The header by which Muster tells its nodes which version it is. */
export const versionHeader = 'muster-version';

/**
 * The header by which Muster tells a node's agent that another system vouches for the node: the agent's word does not
 * count.
 */
export const vouchedHeader = 'muster-vouched';
