/** The reports of agents and automation about processes. */
export const processReports = ['process.starting', 'process.started', 'process.stopping', 'process.stopped', 'process.failed'] as const;

/** The reports of agents and automation about services. */
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
