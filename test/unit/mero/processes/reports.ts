import { ProcessReport } from '../../../../events/reported/process.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import { processFid } from '../../../support/mero.ts';

/**
 * A report about the first process, as the door stamps it: the first word of the first boot of the first node unless
 * told otherwise.
 */
export const aReport = (type: ProcessReport['type'], data: object = {}, stamps: Partial<ProcessReport> = {}): ProcessReport =>
  ProcessReport.parse({
    type,
    version: 1,
    id: `${type}-${stamps.seq ?? 1}`,
    node: nodeId(1),
    incarnation: 1,
    seq: 1,
    receivedAt: at(1),
    intervalMs: 10_000,
    ...stamps,
    data: { process: processFid(1), ...(type === 'process.failed' && { reason: 'it failed' }), ...data },
  });
