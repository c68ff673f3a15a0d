import { withStored } from '../../services/secrets.ts';
import type { CataloguedType } from '../../services/types.ts';
import { refused } from '../../services/verdict.ts';
import { refusal } from '../service-refusal.ts';

/**
 * A configuration that a caller gives, with what is stored in the place of each mask that it was shown. Throws a Refusal that names each mask for which
 * nothing is stored.
 */
export function withSecrets({ type, schema }: Pick<CataloguedType, 'type' | 'schema'>, given: string, stored: string | undefined): string {
  const { text, faults } = withStored(schema.configuration, given, stored);
  if (faults.length > 0) throw refusal(refused('configuration-invalid', `the configuration of ${type.name} lacks a secret`, faults));
  return text;
}
