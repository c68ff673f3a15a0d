import type { Check, Fault, Unchecked, Verdict } from '../core/check.ts';
import type { ServiceTypeName } from '../core/ids.ts';
import type { ServiceTypes, ShutOut } from './rows/service-type.ts';

/** What an operator asks for that cannot be: what kind of obstacle it is, why, and each fault of what was given. */
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
 * What is known of a type's schemas: the verdict about what is asked, if there is one, and that the type is shut out,
 * if it is.
 */
export type Known = { readonly verdict?: Verdict | undefined; readonly shutOut?: ShutOut | undefined };

/** Since when a type takes no new configuration, and why; undefined of one that does. */
export const shutOutOf = (types: ServiceTypes | undefined, name: ServiceTypeName): ShutOut | undefined =>
  types?.shutOut?.find(({ type }) => type === name);

/**
 * What keeps a text from being taken for a type: that it has to be checked first, its faults, or that its schema cannot
 * be used.
 */
export function unfit(
  type: ServiceTypeName,
  { verdict, shutOut }: Known,
  { check, otherwise }: { readonly check: Check; readonly otherwise: readonly [problem: Refused['problem'], because: string] },
): Refused | Unchecked | undefined {
  const out = (because: string, faults?: readonly Fault[]): Refused =>
    refused('type-shut-out', `type ${type} takes nothing new: ${because}. Mend its schema and put it again`, faults);
  if (shutOut) return out(`${shutOut.because} (${new Date(shutOut.at).toISOString()})`);
  if (!verdict) return { does: 'check', check };
  if (verdict.is === 'late') return out(verdict.because);
  if (verdict.is === 'unusable') return out('its schema cannot be used', verdict.faults);
  return verdict.faults.length === 0 ? undefined : refused(...otherwise, verdict.faults);
}
