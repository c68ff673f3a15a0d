import type { Fqdn } from '../../../lib/core/ids.ts';

/**
 * A configuration that names another node, or the reason why that is impossible. Texts are bytes read as Latin-1, so
 * that nothing else in them changes.
 */
export type Rewritten = { readonly text: string } | { readonly fault: string };

/** A top-level `master:` line: its key, its value, what follows it (blanks, a comment). */
const masterLine = /^(master:)([ \t]*)([^\r\n]*?)([ \t]*(?:[ \t]#[^\r\n]*)?)(\r?)$/gm;

/**
 * A minion's configuration with another master. Every `master:` line gets the name and keeps its comment; everything
 * else stays byte for byte. A file without such a line gets one at its end. A list of masters is refused, because it
 * does not say which of them the node replaces.
 */
export function withMaster(text: string | undefined, fqdn: Fqdn): Rewritten {
  if (text === undefined) return { text: `master: ${fqdn}\n` };
  const found = [...text.matchAll(masterLine)];
  if (found.some(([, , , value]) => value === '' || /^[[|>#&*]/.test(value ?? '')))
    return { fault: 'its master is a list, or is on another line than its key: write one line, “master: NAME”' };
  if (found.length > 0)
    return {
      text: text.replaceAll(masterLine, (_line, key, blank, _value, rest, end) => `${key}${blank || ' '}${fqdn}${rest}${end}`),
    };
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return { text: `${text}${text === '' || text.endsWith('\n') ? '' : newline}master: ${fqdn}${newline}` };
}

/** The master that a minion's configuration names; undefined when it names none, or not just one. */
export function masterIn(text: string): string | undefined {
  const names = new Set([...text.matchAll(masterLine)].map(([, , , value]) => value?.replaceAll(/^(["'])(.*)\1$/g, '$2')));
  const [name] = names;
  return names.size === 1 && name ? name : undefined;
}

const settingLine = (name: string): RegExp => new RegExp(`^(${name}[ \\t]*=[ \\t]*)([^\\r\\n]*?)([ \\t]*\\r?)$`, 'gm');
const serverUrl = settingLine('serverURL');
const caCertificate = settingLine('sslCACert');

/**
 * The traditional client's `up2date` with another server. The host in `serverURL` changes; scheme, port and path stay;
 * several addresses (failover) become one. `certificate` replaces `sslCACert` where it is given.
 */
export function withServer(text: string | undefined, fqdn: Fqdn, certificate?: string): Rewritten {
  if (text === undefined) return { fault: 'there is no such file: this machine was never a traditional client' };
  const url = URL.parse([...text.matchAll(serverUrl)].at(-1)?.[2]?.split(';')[0]?.trim() ?? '');
  if (!url || !/^https?:$/.test(url.protocol)) return { fault: 'it has no line “serverURL=https://…”' };
  url.hostname = fqdn;
  const moved = text.replaceAll(serverUrl, (_line, key, _value, end) => `${key}${url.href}${end}`);
  if (certificate === undefined) return { text: moved };
  if (!moved.match(caCertificate)) return { fault: 'it has no line “sslCACert=…” for the certificate that was given' };
  return { text: moved.replaceAll(caCertificate, (_line, key, _value, end) => `${key}${certificate}${end}`) };
}

/** The server that `up2date` names; undefined when it names none, or several. */
export function serverIn(text: string): string | undefined {
  const value = [...text.matchAll(serverUrl)].at(-1)?.[2] ?? '';
  return value.includes(';') ? undefined : URL.parse(value)?.hostname || undefined;
}

/** The CA certificate file that `up2date` names, by which the client trusts the server. */
export const certificateIn = (text: string): string | undefined => [...text.matchAll(caCertificate)].at(-1)?.[2] || undefined;
