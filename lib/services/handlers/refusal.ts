import { type ProblemType, Refusal } from '../../api/problem.ts';
import type { Refused } from '../verdict.ts';

/** The field of a call that contains the faults, by the kind of problem. */
const under: Partial<Record<Refused['problem'], string>> = { 'configuration-invalid': '/configuration', invalid: '/data' };

/** The error response to a refused request about a service, with a pointer into the call for each fault. */
export function refusal({ problem, because, errors }: Refused): Refusal {
  const at = under[problem] ?? '';
  const faults = errors?.map(({ pointer, detail }) => ({ pointer: `${at}${pointer}`, detail }));
  const detail = faults ? `${because}: ${faults.map((one) => `${one.pointer}: ${one.detail}`).join('; ')}` : because;
  return new Refusal(problem satisfies ProblemType, detail, faults && { errors: faults });
}
