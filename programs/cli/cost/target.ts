/**
 * The size for which a month's bill is compared with its targets: a million client systems on 500 nodes, where a dead
 * client system is known within three minutes.
 */
export const target = {
  clients: 1_000_000,
  nodes: 500,
  covered: 1,
  deadKnownInS: 180,
  edge: false,
  region: 'us-east-1',
  freeTiers: false,
} as const;
