import { openStorage } from '../../lib/ports/storage/storage.ts';
import { anEvent, aRow, noon, put } from '../../tools/support/a-row.ts';

/*
 * Commits rows and sends messages to the state file it is given, several at a time, and prints the name of each once it
 * was answered, until it is killed. Run as a process of its own by the test that kills it.
 */
const { table, queue } = openStorage({ file: process.argv[2]!, now: () => noon, defer: (run) => void setImmediate(run) });

const commitForEver = async (writer: number): Promise<never> => {
  for (let n = 0; ; n++) {
    const name = `${writer}-${n}`;
    await table.commit([put(aRow({ pk: name, events: [anEvent(1)], eventSeq: 1 })), put(aRow({ pk: `${name}-beside` }))]);
    await queue.send('reports', name);
    process.stdout.write(`${name}\n`);
  }
};

await Promise.all(Array.from({ length: 8 }, (_, writer) => commitForEver(writer)));
