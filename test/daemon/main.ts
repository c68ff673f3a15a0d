import { cpSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import * as z from 'zod';
import { checked, runCommandLine, Unusable } from '../../lib/machine/command-line.ts';
import { expected, NotAsExpected, step } from '../../tools/check-deploy/progress.ts';
import { buildGo, findGo, goFolder, runGo } from '../../tools/packaging/client/go.ts';
import { targetOf } from '../../tools/packaging/client/targets.ts';
import { compareHistories } from './compare.ts';
import { compareRewriting } from './rewriting.ts';

/*
 * `npm run check:client`: the daemon in Go as it is to be shipped. It is formatted and vetted, its own tests pass, two
 * builds are equal, and it decides as its model does in random histories, and changes configurations as its model does.
 */

/** The most that an executable may have, in bytes: the smallest systems have flash of 16 MB. */
const sizeMaxBytes = 9e6;

const Count = z.coerce.number().int().positive();

const program = new Command('check:client')
  .description('Builds the client daemon in Go and compares it with its model in programs/client. Needs Go 1.26 or newer.')
  .option('--histories <count>', 'how many random histories are compared', checked(Count), 100_000)
  .option('--seed <number>', 'the seed of the first history', checked(Count), 1)
  .action(check);

async function check({ histories, seed }: { readonly histories: number; readonly seed: number }): Promise<void> {
  const go = findGo();
  const target = targetOf(process);
  if (!target) throw new Unusable('the daemon is not built for machines like this one');
  const work = await mkdtemp(join(tmpdir(), 'muster-check-client-'));
  try {
    await step('formatted (gofmt) and vetted (go vet)', async () => {
      const unformatted = runGo(join(runGo(go, ['env', 'GOROOT']).trim(), 'bin/gofmt'), ['-l', '.']);
      expected('every file as gofmt writes it', unformatted === '', unformatted);
      runGo(go, ['vet', './...']);
    });
    await step('its own tests', async () => runGo(go, ['test', './...']));
    await step('a build of the sources elsewhere is equal, and small', async () => {
      const copy = join(work, 'copy');
      cpSync(goFolder, copy, { recursive: true });
      const [one, other] = [goFolder, copy].map((from) =>
        readFileSync(buildGo(go, { program: 'muster-client', target, out: join(work, 'built'), from })),
      );
      expected('the same bytes of the same sources', one!.equals(other!), `${one!.length} B and ${other!.length} B`);
      expected(`at most ${sizeMaxBytes / 1e6} MB`, one!.length <= sizeMaxBytes, `${one!.length} B`);
    });
    const vectors = buildGo(go, { program: 'vectors', target, out: work });
    await step(`${histories} configurations get another node`, async () => {
      const [different] = compareRewriting(vectors, { count: histories, seed });
      if (different) throw new NotAsExpected('what the model makes of it', different);
    });
    await step(`${histories} histories, seeds ${seed} to ${seed + histories - 1}`, async () => {
      const compared = await compareHistories(vectors, { count: histories, seed });
      if (compared.difference) throw new NotAsExpected('what the model does', compared.difference);
      console.log(`          ${compared.steps} steps: ${JSON.stringify(compared.actions)}`);
    });
  } catch (error) {
    if (!(error instanceof NotAsExpected)) throw error;
    console.log(error.message);
    process.exitCode = 1;
  } finally {
    rmSync(work, { recursive: true });
  }
}

process.exit(await runCommandLine(program, process.argv));
