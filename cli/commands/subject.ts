import { Argument, type Command } from 'commander';
import { subjects } from '../../lib/api/admin-routes.ts';
import type { Cli } from '../cli.ts';
import { fingerprint, wholeFingerprints } from '../fingerprints.ts';

/** What `explain` and `history` speak of. */
export type Subject = { readonly kind: 'node' | 'system' | 'zone'; readonly id: string };

/** Adds the two arguments that name a subject. */
export const onSubject = (command: Command): Command =>
  command
    .addArgument(new Argument('<kind>', 'what it is').choices(subjects.options))
    .argument('<id>', "a node's id or name, a client system's fingerprint or its beginning, or a zone's name");

/** The subject as the API knows it: the beginning of a fingerprint is completed. */
export async function subjectOf(cli: Cli, kind: Subject['kind'], id: string): Promise<Subject> {
  if (kind !== 'system') return { kind, id };
  const [fp] = await wholeFingerprints(cli, fingerprint(id));
  return { kind, id: fp! };
}
