import type { Check, Fault, Unchecked, Verdict } from '../core/check.ts';
import type { ServiceTypeName } from '../core/ids.ts';
import type { ServiceTypes, ShutOut } from './rows/service-type.ts';

/** A request that Muster refuses: the kind of problem, its cause, and each fault in the request. */
export type Refused = {
  readonly does: 'refuse';
  readonly problem:
    | 'refused'
    | 'not-yet'
    | 'name-taken'
    | 'configuration-invalid'
    | 'unknown-message'
    | 'service-not-running'
    | 'invalid'
    | 'type-shut-out';
  readonly because: string;
  readonly errors?: readonly Fault[];
};

/** A refusal as data. */
export const refused = (problem: Refused['problem'], because: string, errors?: readonly Fault[]): Refused => ({
  does: 'refuse',
  problem,
  because,
  ...(errors && { errors }),
});

/**
 * The state of a type's schemas: the verdict about the request, if there is one, and that the type is shut out, if it
 * is.
 */
export type Known = { readonly verdict?: Verdict | undefined; readonly shutOut?: ShutOut | undefined };

/** Since when a type takes no new configuration, and why; undefined where it does. */
export const shutOutOf = (types: ServiceTypes | undefined, name: ServiceTypeName): ShutOut | undefined =>
  types?.shutOut?.find(({ type }) => type === name);

/**
 * The obstacle to a text that a type must accept: a check that must be made first, the faults of the text, or a schema
 * that cannot be used. Undefined where there is none.
 */
export function unfit(
  type: ServiceTypeName,
  { verdict, shutOut }: Known,
  { check, otherwise }: { readonly check: Check; readonly otherwise: readonly [problem: Refused['problem'], because: string] },
): Refused | Unchecked | undefined {
  const out = (because: string, faults?: readonly Fault[]): Refused =>
    refused('type-shut-out', `type ${type} is shut out: ${because}. Correct its schema and put it again`, faults);
  if (shutOut) return out(`${shutOut.because} (${new Date(shutOut.at).toISOString()})`);
  if (!verdict) return { does: 'check', check };
  if (verdict.is === 'late') return out(verdict.because);
  if (verdict.is === 'unusable') return out('its schema cannot be used', verdict.faults);
  return verdict.faults.length === 0 ? undefined : refused(...otherwise, verdict.faults);
}
