import type { ReportType } from '../../events/catalogue.ts';
import type { QueueName } from '../ports/queue/queue.ts';

/** The queue that carries a report from where it was taken in to where it is decided on. */
export const carriedBy = ({ type }: { readonly type: ReportType }): QueueName => (type === 'node.heartbeat' ? 'heartbeats' : 'reports');
