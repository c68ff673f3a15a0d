import type { Outcome } from '../../processes/commands.ts';
import type { ContentProgram } from './commands.ts';
import type { DoesContent } from './options.ts';

/** Loaded when they are asked for: other hosts need none of it. */
const commands = () => import('./commands.ts');

/** The commands by which common content is copied. */
export const contentCommands = ({ outcome, ...program }: ContentProgram & { outcome(ended: Outcome): void }): DoesContent => ({
  contentExport: async (path, given) => outcome(await (await commands()).contentExport(path, given, program)),
  contentDiff: async (path, given) => outcome(await (await commands()).contentDiff(path, given, program)),
  contentImport: async (path, given) => outcome(await (await commands()).contentImport(path, given, program)),
});
