import { lineOf } from '../../loadtest/progress.ts';
import type { Second } from '../../loadtest/report.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';

/** The width of a terminal that does not give its own, or gives 0. */
const columnsDefault = 80;

/** The events of each second, as one line of talk: replaced by the next where it can be, else one after the other. */
export function liveLine({ err, rewrites, columns }: Terminal): { progress(second: Second): void; end(): void } {
  let isOpen = false;
  return {
    progress: (second) => {
      const line = printable(lineOf(second));
      if (!rewrites) return err(`${line}\n`);
      isOpen = true;
      err(`\r\u001b[2K${[...line].slice(0, (columns || columnsDefault) - 1).join('')}`);
    },
    end: () => {
      if (isOpen) err('\n');
      isOpen = false;
    },
  };
}
