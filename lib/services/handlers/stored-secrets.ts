import { differsBetween } from '../differs.ts';
import { withStored } from '../rows/secrets.ts';
import type { Service } from '../service.ts';
import type { CataloguedType } from '../types.ts';
import { refused } from '../verdict.ts';
import { refusal } from './refusal.ts';

/**
 * The configuration that a caller gives, with each mask replaced by the stored value. Throws a Refusal that names each
 * mask for which nothing is stored. It also throws where the service runs with another secret than was ordered, because
 * the mask may mean either.
 */
export function withSecrets(
  { type, schema }: Pick<CataloguedType, 'type' | 'schema'>,
  given: string,
  stored: string | undefined,
  drift?: Service['drift'],
): string {
  const ordered = stored === undefined ? [] : [stored];
  const { text, faults } = withStored(schema.configuration, given, ordered);
  if (faults.length > 0) throw refusal(refused('configuration-invalid', `the configuration of ${type.name} lacks a secret`, faults));
  if (!drift) return text;
  const asItRuns = withStored(schema.configuration, given, [drift.configuration, ...ordered]).text;
  const detail = 'The service has changed this secret itself, and a mask may mean either: give the secret.';
  const unclear = differsBetween(schema.configuration, text, asItRuns).map((pointer) => ({ pointer, detail }));
  if (unclear.length === 0) return text;
  throw refusal(refused('configuration-invalid', `the service runs with another secret than was ordered`, unclear));
}
