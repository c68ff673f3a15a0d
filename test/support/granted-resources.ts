import type { GrantedResources } from '../../infra/grants.ts';

/** Where the resources of a deployment are, by names that tests can read. */
export const namedResources: GrantedResources<string> = {
  table: 'table',
  namesKeys: true,
  index: (name) => `table/${name}`,
  stream: 'stream',
  queue: (name) => `queue/${name}`,
  bus: 'bus',
  secret: 'secret',
  auditSecret: 'audit-secret',
  origin: undefined,
  key: 'key',
  undelivered: 'undelivered',
  lateBucket: 'late',
  lateObjects: 'late/*',
  objectsBucket: 'bucket',
  objects: 'bucket/*',
  logStreams: 'logs',
};
