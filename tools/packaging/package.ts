import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deb } from './deb.ts';
import type { Packed } from './programs.ts';

/** The libraries that node itself is linked against (its BUILDING.md: glibc 2.28, libstdc++ of GCC 8). */
const depends = 'libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 8)';

/**
 * The package of a program: its executable, its unit, which its scripts enable, and its configuration file, which stays
 * the operator's.
 */
export function packageOf(
  { name, folder, builtIn, is, description }: Packed,
  { executable, version, architecture }: { executable: Uint8Array; version: string; architecture: string },
): Deb {
  const read = (file: string) => readFileSync(join(import.meta.dirname, folder, file));
  return {
    fields: {
      Package: name,
      Version: version,
      Architecture: architecture,
      Maintainer: 'The Muster project',
      Section: 'admin',
      Priority: 'optional',
      Depends: depends,
      Description: [is, ...description].join('\n'),
    },
    scripts: Object.fromEntries(['postinst', 'prerm', 'postrm'].map((script) => [script, read(script).toString()])),
    files: [
      { path: `usr/bin/${name}`, mode: 0o755, content: executable },
      { path: `usr/lib/systemd/system/${name}.service`, mode: 0o644, content: read(`${name}.service`) },
      { path: builtIn.config.slice(1), mode: 0o644, content: read('configuration'), isConfiguration: true },
      { path: `usr/share/doc/${name}/copyright`, mode: 0o644, content: read('copyright') },
    ],
  };
}
