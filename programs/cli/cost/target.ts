/**
 * What a month's bill is held against its targets for: a million client systems on 500 nodes, of which one that has
 * died is to be known within three minutes.
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
