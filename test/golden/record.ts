import process from 'node:process';
import { record, recordable, recordEnd } from './recording.ts';

/*
 * `node test/golden/record.ts` lists what can be recorded, with a name it records that, and with `--because <number>` it records what comes
 * of the same inputs now that docs/decisions/<number>-… has changed what is promised. See docs/decisions/0017-golden-histories.md.
 */

const [name, flag, decision] = process.argv.slice(2);
try {
  if (name === undefined) for (const one of recordable()) console.log(`${one.isRecorded ? 'recorded' : 'new     '}  ${one.name}`);
  else if (flag === undefined) console.log((await record(name)).join('\n'));
  else if (flag === '--because' && decision !== undefined) console.log((await recordEnd(name, decision)).join('\n'));
  else throw new Error('usage: node test/golden/record.ts [name [--because <number of the decision>]]');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
