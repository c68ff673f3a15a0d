import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile, type OutputFile } from 'esbuild';

/**
 * A file of the built page: its path below `/ui/`, its media type and its bytes. A file with a hash in its name never
 * changes its content under that name.
 */
export type UiFile = { readonly path: string; readonly type: string; readonly bytes: Uint8Array; readonly isImmutable: boolean };

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Builds the page: scripts and styles with a hash in their names, the icon, and `index.html`, which names the first of
 * them. Throws what esbuild throws when a source has a mistake.
 */
export async function buildUi(): Promise<readonly UiFile[]> {
  const { outputFiles, metafile } = await bundle();
  const icon: UiFile = {
    path: 'muster.svg',
    type: 'image/svg+xml',
    bytes: readFileSync(join(import.meta.dirname, 'muster.svg')),
    isImmutable: false,
  };
  return [documentOf(metafile), icon, ...outputFiles.map(fileOf)];
}

/** The bundle in memory, with what it was made of: views are chunks of their own, which load when they are opened. */
export function bundle(): Promise<{ readonly outputFiles: OutputFile[]; readonly metafile: Metafile }> {
  return build({
    entryPoints: [join(import.meta.dirname, 'main.tsx')],
    absWorkingDir: import.meta.dirname,
    outdir: '/ui',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox128', 'safari17.5'],
    jsx: 'automatic',
    minify: true,
    write: false,
    metafile: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
}

function fileOf({ path, contents }: OutputFile): UiFile {
  const name = basename(path);
  return { path: name, type: types[name.split('.').at(-1)!]!, bytes: contents, isImmutable: true };
}

/** The document. It names what it needs at once; its policy comes with its answer. */
function documentOf({ outputs }: Metafile): UiFile {
  const [main] = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint === 'main.tsx');
  const script = basename(main![0]);
  const style = basename(main![1].cssBundle!);
  const needed = main![1].imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
  const preloads = needed.map((path) => `<link rel="modulepreload" href="/ui/${path}">\n`).join('');
  const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>Muster</title>
<link rel="icon" href="/ui/muster.svg" type="image/svg+xml">
<link rel="stylesheet" href="/ui/${style}">
${preloads}<script type="module" src="/ui/${script}"></script>
<div id="root"></div>
<noscript>The page of Muster is a program: it needs JavaScript. The command line, muster, does all that it does.</noscript>
</html>
`;
  return { path: 'index.html', type: 'text/html; charset=utf-8', bytes: Buffer.from(text), isImmutable: false };
}
