import { readFileSync } from 'node:fs';
import { release, type } from 'node:os';

/**
 * The operating system as its makers call it, `Debian GNU/Linux 13 (trixie)`; the kernel's name and release where
 * nobody says. At most 128 characters.
 */
export function osName(read = () => readFileSync('/etc/os-release', 'utf8')): string {
  const named = /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(orNothing(read));
  return (named?.[1] ?? `${type()} ${release()}`).slice(0, 128);
}

/** What a file says; nothing where there is no such file. */
export const orNothing = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    return '';
  }
};
