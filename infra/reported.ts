/** What agents and automation report of processes. */
export const processReports = ['process.starting', 'process.started', 'process.stopping', 'process.stopped', 'process.failed'] as const;

/** What agents and automation report of services. */
export const serviceReports = [
  'service.starting',
  'service.started',
  'service.stopping',
  'service.stopped',
  'service.failed',
  'service.acquired',
  'service.released',
  'service.answered',
] as const;
