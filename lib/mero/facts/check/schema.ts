import type * as z from 'zod';
import type { Defect, Path } from '../../../core/defect.ts';
import { nearest } from '../../../core/nearest.ts';
import { Facts, factsKeys } from '../facts.ts';

const byNodeUp = 'is a fact of the host, which reports it with node-up: leave it out';
const older = 'belongs to an older format: convert the file with `facts convert`';
/** Keys of older files, and why they are not allowed now. */
const former: ReadonlyMap<string, string> = new Map([
  ...['h_memsize', 'h_cpucount', 'h_interfaces', 'address', 'if_network', 'if_macAddress', 'if_ipAddrs'].map(
    (key) => [key, byNodeUp] as const,
  ),
  ...['id_racks', 'm0h_roles', 'm0h_devices', 'm0p_boot_level', 'm0s_params', 'm0s_pathfilter'].map((key) => [key, older] as const),
  ...['m0_data_units', 'm0_parity_units', 'm0_failure_set_gen'].map((key) => [key, older] as const),
]);

/** Returns the key that a misspelt one may stand for. */
type Hint = (key: string) => string | undefined;
/** How many different misspelt keys get a hint: a file that has more has another problem. */
const hintsMax = 1_000;

function hints(): Hint {
  const keys = factsKeys();
  const found = new Map<string, string | undefined>();
  return (key) => {
    if (!found.has(key) && found.size < hintsMax) found.set(key, key.length > 64 ? undefined : nearest(key, keys));
    return found.get(key);
  };
}

/** The facts if the form of a file is right, or what is wrong with it. */
export function readForm(value: unknown): { facts: Facts | undefined; defects: Defect[] } {
  const read = Facts.safeParse(value);
  const near = hints();
  return read.success
    ? { facts: read.data, defects: [] }
    : { facts: undefined, defects: read.error.issues.flatMap((issue) => defectsOf(issue, value, near)) };
}

function defectsOf(issue: z.core.$ZodIssue, file: unknown, near: Hint): Defect[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], says: unknownKey(key, path, near) }));
  if (isMissing(file, path)) return [{ path, says: 'this is missing' }];
  return [{ path, says: issue.message.replace(/^Invalid input: /, '') }];
}

/** Whether a path leads to nothing. */
const isMissing = (file: unknown, path: Path): boolean =>
  path.reduce(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined),
    file,
  ) === undefined;

function unknownKey(key: string, path: Path, nearestTo: Hint): string {
  const reason = former.get(key);
  if (reason) return `${key} ${reason}`;
  const near = nearestTo(key);
  const owner = [...path].reverse().find((part) => typeof part === 'string');
  return `there is no key ${key}${owner === undefined ? '' : ` in ${String(owner)}`}${near ? `; did you mean ${near}?` : ''}`;
}
