import { readFileSync } from 'node:fs';
import { release, type } from 'node:os';

/**
 * The operating system as its makers call it, `Debian GNU/Linux 13 (trixie)`; the kernel's name and release if that is
 * unknown. At most 128 characters.
 */
export function osName(read = () => readFileSync('/etc/os-release', 'utf8')): string {
  const named = /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(orNothing(read));
  return (named?.[1] ?? `${type()} ${release()}`).slice(0, 128);
}

/** The trimmed text of a file; empty if it cannot be read. */
export const orNothing = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    return '';
  }
};
