import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { clientProgram } from '../../../../programs/client/options.ts';
import { goFolder } from '../../../../tools/packaging/client/go.ts';

const nothing = (): void => undefined;
const program = clientProgram({ run: async () => {}, fingerprint: nothing, status: nothing, drive: async () => {} });
const commandOf = (words: readonly string[]): Command =>
  words.reduce((command, word) => command.commands.find((one) => one.name() === word)!, program);

describe('the help of the daemon in Go', () => {
  it.each(['run', 'fingerprint', 'status', 'drive', 'drive start', 'drive stop'])('is that of its model: %s', async (name) => {
    const command = commandOf(name === 'run' ? [] : name.split(' '));
    const parts: string[] = [];
    command.configureOutput({ writeOut: (part) => void parts.push(part), getOutHelpWidth: () => 80, getOutHasColors: () => false });
    command.outputHelp();
    await expect(parts.join('')).toMatchFileSnapshot(join(goFolder, `options/help/${name.replace(' ', '-')}.txt`));
  });
});
