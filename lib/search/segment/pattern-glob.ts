import { escapeGlob } from '../language/glob.ts';

/** A part of a pattern as a glob, and the place behind it; undefined where this file does not know what it means. */
type Atom = { readonly glob: string; readonly end: number } | undefined;

/**
 * A glob in lower case that matches every name in which a regular expression is found, and few others: `^web0.*7$` is
 * `web0*7`. Globs are matched many times as fast, so that only what passes need be tried. It knows little of RE2's
 * syntax, and where it is not sure it gives `*`.
 */
export function globAround(pattern: string): string {
  let glob = pattern.startsWith('^') ? '' : '*';
  for (let at = 0; at < pattern.length; ) {
    if (pattern.charAt(at) === '$' && at === pattern.length - 1) return glob;
    const atom = atomAt(pattern, at);
    if (!atom) return '*';
    const [quantifier = ''] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(pattern.slice(atom.end)) ?? [];
    glob += quantifier === '' ? atom.glob : quantifier.startsWith('+') ? `${atom.glob}*` : '*';
    at = atom.end + quantifier.length;
  }
  return `${glob}*`;
}

function atomAt(pattern: string, at: number): Atom {
  const char = pattern.charAt(at);
  switch (char) {
    case '^':
    case '$':
      return { glob: '', end: at + 1 };
    case '.':
      return { glob: '?', end: at + 1 };
    case '[':
      return { glob: '?', end: classEnd(pattern, at) };
    case '(':
      return groupAt(pattern, at);
    case '\\':
      return escapeAt(pattern, at);
    case '|':
    case ')':
      return undefined;
    default:
      return { glob: escapeGlob(char.toLowerCase()), end: at + 1 };
  }
}

/** A letter or digit behind a backslash is a class of one character, or a place; most others are rare. */
function escapeAt(pattern: string, at: number): Atom {
  const escaped = pattern.charAt(at + 1);
  const end = at + 2;
  if (/[dwsDWS]/.test(escaped)) return { glob: '?', end };
  if (/[bBAz]/.test(escaped)) return { glob: '', end };
  return escaped === '' || /[A-Za-z0-9]/.test(escaped) ? undefined : { glob: escapeGlob(escaped.toLowerCase()), end };
}

/** Any text for a group, whatever is in it; a group of flags changes what follows. */
function groupAt(pattern: string, from: number): Atom {
  if (/^\(\?(?!:|P?<)/.test(pattern.slice(from))) return undefined;
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    // Flags within may hold until the end of the pattern's text, and quoted text may have a parenthesis.
    if (char === '\\') {
      if (/[QE]/.test(pattern.charAt(at + 1))) return undefined;
      at += 1;
    } else if (char === '[') at = classEnd(pattern, at) - 1;
    else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0) return { glob: '*', end: at + 1 };
  }
  return undefined;
}

/** The place behind the `]` that closes a class; the end of the pattern if none does. */
function classEnd(pattern: string, from: number): number {
  const first = from + (pattern.charAt(from + 1) === '^' ? 2 : 1);
  for (let at = first; at < pattern.length; at++) {
    if (pattern.charAt(at) === '\\') at += 1;
    else if (pattern.startsWith('[:', at) && pattern.includes(':]', at)) at = pattern.indexOf(':]', at) + 1;
    else if (pattern.charAt(at) === ']' && at > first) return at + 1;
  }
  return pattern.length;
}
