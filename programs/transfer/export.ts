import { MusterError } from '../../lib/core/errors.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import type { WholeSource } from '../../lib/ports/table/whole.ts';
import { formatVersion, type Header, isoTimeOf, printEntry, printHeader } from './format.ts';
import { refuseHalf } from './marker.ts';
import { writeLines } from './write.ts';

/** A deployment to export, and the name that machines sign for. */
export type Exported = { readonly source: WholeSource; readonly deployment: string; readonly where: string };

/**
 * Writes a whole deployment to a file, a page at a time. Gives its header and the file's length in bytes. Throws a
 * MusterError: `import.unfinished` for a place with half a deployment, `export.moving` when something was written
 * meanwhile.
 */
export async function exportTo(
  file: string,
  { source, deployment, where }: Exported,
  at: EpochMs,
): Promise<{ header: Header; bytes: number }> {
  await refuseHalf(source, where);
  const header: Header = { muster: 'export', version: formatVersion, deployment, at: isoTimeOf(at), ...(await source.contents()) };
  const { bytes } = await writeLines(file, linesOf(source, header));
  return { header, bytes };
}

async function* linesOf(source: WholeSource, header: Header): AsyncIterable<string> {
  yield printHeader(header);
  let entries = 0;
  for await (const image of source.images()) {
    entries += 1;
    yield printEntry({ is: 'image', image });
  }
  for await (const row of source.rows()) {
    entries += 1;
    yield printEntry({ is: 'row', row });
  }
  for await (const message of source.messages()) {
    entries += 1;
    yield printEntry({ is: 'message', message });
  }
  if (entries !== header.rows + header.images + header.messages)
    throw new MusterError('export.moving', 'the deployment was written to while it was read: stop it, and export it again', 'later');
}
