import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import locked from '../../bin/runtime.json' with { type: 'json' };
import { Unusable } from '../../lib/machine/command-line.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** The Node that an executable is made of: its path and its version. */
export type Runtime = { readonly path: string; readonly version: string };
/** A machine, as Node names it. */
export type Platform = { readonly platform: string; readonly arch: string };

const packages: Readonly<Record<string, { readonly package: string; readonly file: string; readonly sha256: string }>> = locked;
const versions: Readonly<Record<string, string>> = packageJson.optionalDependencies;

/**
 * The locked Node of a platform, below the folder `modules`. Its bytes are compared with the digest in
 * bin/runtime.json, because a copy goes to every host. Throws {@link Unusable} where there is none, or another.
 */
export function lockedRuntime({ platform, arch }: Platform, modules: string): Runtime {
  const entry = packages[`${platform}-${arch}`];
  if (entry === undefined) throw new Unusable(`npm has no Node for ${platform}-${arch}, so nothing can be built for it`);
  const path = join(modules, entry.package, entry.file);
  const found = digestOf(path);
  if (found === undefined) throw new Unusable(`${path} is missing: run npm ci`);
  if (found !== entry.sha256)
    throw new Unusable(`${path} is not the locked Node: its SHA-256 is ${found}, and bin/runtime.json names ${entry.sha256}; run npm ci`);
  return { path, version: versions[entry.package]! };
}

function digestOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
