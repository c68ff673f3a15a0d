import { wiring } from '../../infra/wiring.ts';

const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/** What is counted, by its name in a page. */
const counted: Readonly<Record<string, number>> = {
  queues: Object.keys(wiring.queues).length,
  functions: Object.keys(wiring.functions).length,
};

const mark = /<!-- count:(\w+) -->.*?<!-- \/count -->/g;

/**
 * A page with how many there are of what it counts between marks such as
 * `<!-- count:queues -->four queues<!-- /count -->`. The rest of the page is written by hand. Throws for a mark of what
 * is not counted.
 */
export const withCounts = (text: string): string =>
  text.replace(mark, (_all, name: string) => {
    const count = counted[name];
    if (count === undefined)
      throw new Error(`nothing called ${name} is counted for the docs: there are ${Object.keys(counted).join(', ')}`);
    return `<!-- count:${name} -->${words[count] ?? count} ${name}<!-- /count -->`;
  });
