/** The version of this Muster, as its API and its agents report it. */
export const musterVersion = '0.1.0';

/** The header by which Muster tells its nodes which version it is. */
export const versionHeader = 'muster-version';

/** The header by which Muster tells the agent of a node, by the word `yes`, that another system vouches for the node: absent where the agent's own words count. */
export const vouchedHeader = 'muster-vouched';
