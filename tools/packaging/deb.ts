import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Entry, tar } from './tar.ts';

/** The files that a package installs, by their path on the host, without the leading `/`. */
export type Installed = Required<Entry> & { readonly isConfiguration?: true };
/** A Debian package: its control fields, its maintainer scripts by name, and the files that it installs. */
export type Deb = {
  /** `Package`, `Version`, `Architecture` and the like, in the order in which they are written. */
  readonly fields: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly files: readonly Installed[];
};

/**
 * The bytes of a package, as deb(5) has them: an ar archive of the format's version, the control archive, and the
 * installed files. This project writes it itself, so that it is built on any machine, with or without dpkg; `atS` is
 * the time of everything in it, in seconds.
 */
export function deb({ fields, scripts, files }: Deb, atS: number): Buffer {
  const control = tar(
    [
      { path: './', mode: 0o755 },
      text('control', controlOf(fields, files)),
      text('conffiles', linesOf(files.filter(({ isConfiguration }) => isConfiguration).map(({ path }) => `/${path}`))),
      text('md5sums', linesOf(files.filter(({ isConfiguration }) => !isConfiguration).map(sumOf))),
      ...Object.entries(scripts).map(([name, script]) => text(name, script, 0o755)),
    ],
    atS,
  );
  const data = tar([...foldersOf(files), ...files.map((file) => ({ ...file, path: `./${file.path}` }))], atS);
  return ar(
    [
      { name: 'debian-binary', content: Buffer.from('2.0\n') },
      { name: 'control.tar.gz', content: gzipSync(control) },
      { name: 'data.tar.gz', content: gzipSync(data) },
    ],
    atS,
  );
}

const text = (name: string, content: string, mode = 0o644): Entry => ({ path: `./${name}`, mode, content: Buffer.from(content) });
const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const sumOf = ({ path, content }: Installed): string => `${createHash('md5').update(content).digest('hex')}  ${path}`;

/** The fields, and how much room the files take, in KiB; a description of several lines goes last. */
function controlOf({ Description, ...fields }: Deb['fields'], files: readonly Installed[]): string {
  const kib = files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  const [first = '', ...more] = (Description ?? '').split('\n');
  const described = [`Description: ${first}`, ...more.map((line) => ` ${line === '' ? '.' : line}`)];
  return linesOf([...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), `Installed-Size: ${kib}`, ...described]);
}

/** Every folder above the files, each before its content. */
function foldersOf(files: readonly Installed[]): Entry[] {
  const paths = files.flatMap(({ path }) => path.split('/').map((_part, depth, parts) => parts.slice(0, depth).join('/')));
  return [...new Set(paths)].sort().map((path) => ({ path: path === '' ? './' : `./${path}/`, mode: 0o755 }));
}

/** An archive of the common form of ar(5): short names, and content that begins at even places. */
function ar(members: readonly { readonly name: string; readonly content: Buffer }[], atS: number): Buffer {
  const parts = members.flatMap(({ name, content }) => [
    Buffer.from(
      `${name.padEnd(16)}${String(atS).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
    ),
    content,
    Buffer.from('\n'.repeat(content.length % 2)),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
