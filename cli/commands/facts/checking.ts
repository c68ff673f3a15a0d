import type { Checked } from '../../../lib/facts/check/check.ts';
import type { Cli } from '../../cli.ts';
import { type Finding, located, readFile } from './reading.ts';

/** Facts without a defect, with what they expand to; or all that is wrong with their file. */
export type CheckedFile = Extract<Checked, { ok: true }> | { readonly ok: false; readonly findings: readonly Finding[] };

/** Reads and checks a facts file. */
export async function checkFile(cli: Cli, file: string): Promise<CheckedFile> {
  const read = await readFile(cli, file);
  if (!read.ok) return { ok: false, findings: [read] };
  const { checkFacts } = await import('../../../lib/facts/check/check.ts');
  const checked = checkFacts(read.value);
  return checked.ok ? checked : { ok: false, findings: located(read, checked.defects) };
}
