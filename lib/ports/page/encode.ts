import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PageFile } from './pages.ts';

/** A file as the build of the page makes it. */
export type BuiltFile = { readonly path: string; readonly type: string; readonly bytes: Uint8Array; readonly isImmutable: boolean };

const [brotli, zipped] = [promisify(brotliCompress), promisify(gzip)];

/**
 * Files of a build with their tags and encoded forms, by path. They are encoded as well as possible, because that is
 * done once and read many times: some 0.3 s for the whole page.
 */
export async function encodedFiles(built: readonly BuiltFile[]): Promise<ReadonlyMap<string, PageFile>> {
  return new Map(await Promise.all(built.map(async (file) => [file.path, await encodedFile(file)] as const)));
}

async function encodedFile({ type, bytes, isImmutable }: BuiltFile): Promise<PageFile> {
  const [br, gz] = await Promise.all([
    brotli(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    zipped(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  const encoded = { ...(br.length < bytes.length && { br }), ...(gz.length < bytes.length && { gzip: gz }) };
  return { type, bytes, encoded, isImmutable, tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 16) };
}
