/** The version of this Muster, as its API and its agents report it. */
export const musterVersion = '0.1.0';

/** The header by which Muster informs its nodes of its version. */
export const versionHeader = 'muster-version';

/**
 * The header by which Muster informs a node's agent that another system vouches for the node: the agent's own reports
 * do not count.
 */
export const vouchedHeader = 'muster-vouched';
