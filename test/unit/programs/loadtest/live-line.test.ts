import { describe, expect, it } from 'vitest';
import { liveLine } from '../../../../programs/cli/commands/live-line.ts';
import type { Terminal } from '../../../../programs/cli/terminal.ts';
import { aSecond } from './a-report.ts';

/** What two seconds look like on a terminal like this. */
function shownOn(terminal: Partial<Terminal>): string {
  let shown = '';
  const line = liveLine({ err: (text: string) => (shown += text), ...terminal } as Terminal);
  line.progress(aSecond(1));
  line.progress(aSecond(2, { errors: { busy: 3 }, silent: 1, nodes: { 'up\u001b[31m': 2 } }));
  line.end();
  return shown;
}

describe('what happens each second', () => {
  it('is a line each where nothing can be rewritten, and no status can colour it', () => {
    expect(shownOn({ rewrites: false })).toBe(
      '1 s  knocks 20/s  status 4/s  p50 1.5 ms p99 9 ms  clients 20 onboarded 2 orphan  nodes 3 up\n' +
        '2 s  knocks 20/s  status 4/s  p50 1.5 ms p99 9 ms  clients 20 onboarded 2 orphan  nodes 2 up\\u{1b}[31m  silenced 1  errors 3 busy\n',
    );
  });

  it('is one line on a terminal, no longer than that is wide', () => {
    expect(shownOn({ rewrites: true, columns: 20 })).toBe('\r\u001b[2K1 s  knocks 20/s  s\r\u001b[2K2 s  knocks 20/s  s\n');
    expect(shownOn({ rewrites: true, columns: 0 })).toContain('p50 1.5 ms p99 9 ms  clients 20 onboarded');
  });
});
