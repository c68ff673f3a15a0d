import { type BuiltFile, encodedFiles } from './encode.ts';
import type { PageFile, Pages } from './pages.ts';

/**
 * The page as `build` makes it, once, when the first file is asked for. A build that fails is tried again by the next
 * call.
 */
export function memoryPages(build: () => Promise<readonly BuiltFile[]>): Pages {
  let made: Promise<ReadonlyMap<string, PageFile>> | undefined;
  return {
    files: () => {
      made ??= build()
        .then(encodedFiles)
        .catch((error: unknown) => {
          made = undefined;
          throw error;
        });
      return made;
    },
  };
}
