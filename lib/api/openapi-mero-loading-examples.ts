import type { Examples } from './openapi-example.ts';

const startTimeout = {
  name: 'process_start_timeout',
  value: 300,
  usual: 180,
  unit: 's' as const,
  effect: 'setting' as const,
  does: 'how long a process may take to start before it has failed',
};

/** Examples of the routes by which a storage cluster is loaded, written down and set. */
export const meroLoadingExamples: Examples = {
  getMeroVars: { reply: { items: [startTimeout] } },
  editMeroVars: { body: { vars: { process_start_timeout: 300 } }, reply: { items: [startTimeout] } },
};
