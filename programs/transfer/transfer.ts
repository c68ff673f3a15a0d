import { existsSync } from 'node:fs';
import { MusterError } from '../../lib/core/errors.ts';
import { exportTo } from './export.ts';
import type { Header } from './format.ts';
import { checked, importFrom } from './import.ts';
import { fromHome, fromTable, nameAt, type Place, type Surroundings, target } from './places.ts';

export type { Header } from './format.ts';
export type { Place, Surroundings } from './places.ts';

/** The source and the file of an export. A table does not hold the name that machines sign for, so it is given. */
export type ExportAsked = {
  readonly file: string;
  readonly from: { readonly home: string } | { readonly table: string; readonly deployment: string };
};

/** Exports a whole deployment to a new file. Gives its header and its length in bytes. Throws a MusterError. */
export async function exportDeployment(
  { file, from }: ExportAsked,
  surroundings: Surroundings,
): Promise<{ header: Header; bytes: number }> {
  if (existsSync(file)) throw new MusterError('usage', `${file} exists already: an export is written to a new file`, 'never');
  const at = surroundings.now();
  if ('home' in from) {
    const exported = fromHome(from.home);
    return exportTo(file, exported, at).finally(() => exported.source.close());
  }
  const exported = await fromTable({ ...from, file }, surroundings);
  return exportTo(file, exported, at).finally(() => {
    exported.source.close();
    return exported.remove();
  });
}

/** The file, the target and the options of an import. */
export type ImportAsked = {
  readonly file: string;
  readonly to: Place;
  /** The name of the deployment to replace: the one that the folder has, or for a table the one that the file has. */
  readonly replace?: string | undefined;
  readonly sameEpoch: boolean;
  readonly withoutMessages: boolean;
};

/** Imports a whole deployment. Gives the header of the file. Throws a MusterError. */
export async function importDeployment(
  { file, to, replace, sameEpoch, withoutMessages }: ImportAsked,
  surroundings: Surroundings,
): Promise<Header> {
  if (!existsSync(file)) throw new MusterError('usage', `${file} does not exist`, 'never');
  const messages = 'home' in to ? 'stored' : withoutMessages ? 'left out' : 'refused';
  const whole = await checked(file, messages);
  if (replace !== undefined) refuseOther(replace, nameAt(to) ?? whole.header.deployment);
  const place = target(to, surroundings);
  const importing = { ...place, replaces: replace !== undefined, sameEpoch, messages } as const;
  await importFrom(file, whole, importing, surroundings.now()).finally(() => place.target.close());
  return whole.header;
}

function refuseOther(typed: string, name: string): void {
  if (typed === name) return;
  throw new MusterError('usage', `--replace names ${typed}, and the deployment is called ${name}`, 'never');
}

/**
 * A failure in a sentence. `usage`: a wrong argument. `later`: a transient failure. `failed`: something that must be
 * repaired.
 */
export type Refusal = { readonly kind: 'usage' | 'later' | 'failed'; readonly message: string };

/** The refusal of an export or import; undefined for an unexpected error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof MusterError) {
    const { code, message, retry } = error;
    return { kind: code === 'usage' ? 'usage' : retry === 'later' || code === 'state.locked' ? 'later' : 'failed', message };
  }
  if (!(error instanceof Error)) return undefined;
  // Errors of the service and of the file system explain themselves.
  const { $fault, code } = error as Error & { readonly $fault?: string; readonly code?: string };
  if ($fault !== undefined) return { kind: 'failed', message: `the table refused: ${error.name}: ${error.message}` };
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? { kind: 'failed', message: error.message } : undefined;
}
