import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { MusterError } from '../../lib/core/errors.ts';
import type { EmbeddedEnv } from '../../lib/runtime/env.ts';

/** Where an embedded host listens, and how its callers reach it. */
export type Listening = {
  /** The address to listen on. */
  readonly bind: string;
  /** Certificate chain and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The addresses of proxies that end TLS in front of this host; forwarding headers are trusted from them alone. */
  readonly proxies?: BlockList;
  /** The names, beside those of loopback, that callers reach this host under. */
  readonly names: readonly string[];
};

/** The default: only callers on this machine can call. */
export const onLoopback: Listening = { bind: '127.0.0.1', names: [] };

/** An address as it is counted and displayed: one of IPv4 is not written as IPv6. */
export const plainAddress = (address = ''): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Whether a plain address is in one of these networks. */
export const isIn = (networks: BlockList, address: string): boolean => networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether a plain address is a loopback address, which only this machine reaches. */
export const isLoopback = (address: string): boolean => address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);

type Settings = Pick<EmbeddedEnv, 'MUSTER_BIND' | 'MUSTER_TLS_CERT' | 'MUSTER_TLS_KEY' | 'MUSTER_TRUST_PROXY' | 'MUSTER_NAMES'>;

/**
 * Where to listen by these settings. Throws a MusterError `listen.refused` with the reason. Beyond this machine tokens
 * and sign-ins would travel in the clear, unless this host, or a trusted proxy, ends TLS.
 */
export function listeningFrom(settings: Settings): Listening {
  const { MUSTER_BIND: bind, MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key, MUSTER_TRUST_PROXY: trusted, MUSTER_NAMES: names } = settings;
  if (isIP(bind) === 0) throw refused(`MUSTER_BIND is ${bind}, which is no network address`);
  if ((cert === undefined) !== (key === undefined)) throw refused('MUSTER_TLS_CERT and MUSTER_TLS_KEY go together: set both or none');
  if (trusted !== undefined && names.length === 0) throw refused('MUSTER_TRUST_PROXY needs MUSTER_NAMES: the names that callers use');
  if (!isLoopback(bind) && cert === undefined && trusted === undefined)
    throw refused(
      `on ${bind} tokens and sign-ins would travel in the clear: give MUSTER_TLS_CERT and MUSTER_TLS_KEY, or MUSTER_TRUST_PROXY where a proxy ends TLS`,
    );
  const tls = cert === undefined || key === undefined ? undefined : tlsFrom(cert, key);
  return {
    bind,
    ...(tls && { tls }),
    ...(trusted !== undefined && { proxies: proxiesOf(trusted) }),
    names: names.length > 0 || !tls ? names : namesOf(tls.cert),
  };
}

/** Reads certificate and key, which must belong together; refuses a key that others can read. */
function tlsFrom(certFile: string, keyFile: string): { cert: string; key: string } {
  const [cert, key] = [readText(certFile), readText(keyFile)];
  if ((statSync(keyFile).mode & 0o007) !== 0)
    throw refused(`the key ${keyFile} can be read by other users of this machine: chmod 600 ${keyFile}`);
  let belongs: boolean;
  try {
    belongs = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw refused(`${certFile} and ${keyFile} are not a certificate and a key in PEM`, error);
  }
  if (!belongs) throw refused(`the key ${keyFile} is not the one of the certificate ${certFile}`);
  return { cert, key };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw refused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/**
 * The names that a certificate is for, its addresses among them. A name with an asterisk stays as it is, because the
 * names that it covers cannot be listed.
 */
const namesOf = (cert: string): string[] =>
  [...(new X509Certificate(cert).subjectAltName ?? '').matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name]) => name!.toLowerCase());

/** Proxies as addresses or networks, comma-separated; `loopback` is this machine. */
function proxiesOf(text: string): BlockList {
  const list = new BlockList();
  for (const one of text.split(',').map((part) => part.trim())) {
    const [address = '', prefix] = (one === 'loopback' ? '127.0.0.0/8' : one).split('/');
    const [family, bits] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (isIP(address) === 0 || !(length >= 1 && length <= bits)) throw refused(`MUSTER_TRUST_PROXY names ${one}, which is no network`);
    list.addSubnet(address, length, family);
    if (one === 'loopback') list.addAddress('::1', 'ipv6');
  }
  return list;
}

const refused = (why: string, cause?: unknown): MusterError => new MusterError('listen.refused', why, 'never', { cause });
