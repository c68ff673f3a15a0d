import { encodedFiles } from '../lib/ports/page/encode.ts';
import { writePages } from '../lib/ports/page/folder.ts';
import { buildUi } from '../ui/build.ts';

// The files of the page as they are deployed, in the folder that the command line names.
writePages(process.argv[2]!, await encodedFiles(await buildUi()));
