import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aNodeUp } from '../../tools/support/actors.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
/** What the README says that commands print: the blocks that name no language and have this in them. */
const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, language, text]) => (language === '' ? [text!] : []));
const shown = (part: string): string => blocks.find((text) => text.includes(part))!;

/** Lines without what differs each time: names of calls and keys, moments, numbers, and how wide a column is. */
const alike = (text: string): string[] =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'CALL')
    .replaceAll(/\b[0-9a-f]{16}\b/g, 'KEY')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'AT')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/ +/g, ' ')
    .trim()
    .split('\n');

let host: TestHost;
beforeAll(async () => {
  host = await aHost();
});
afterAll(() => host.stop());

const typed = async (line: string): Promise<string> =>
  (await ran(line, { env: { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator }, now: () => Date.now() })).out;

describe('the first steps of the README', () => {
  it('print what it shows', async () => {
    await aNodeUp(host.url, 'node1.example.test');
    const web = aClient(host.url, 'web1.example.test');
    await web.knock();
    expect(alike(await typed('onboarding list'))).toEqual(alike(shown('SUGGESTS')));

    await typed(`system accept ${web.fp} --tag web`);
    await web.knock();
    await web.orphan();
    await web.knock({ confirmed: 'node1.example.test' });
    expect(alike(await typed('system list'))).toEqual(alike(shown('onboarded  node1')));
    const [why, what] = [await typed(`explain system ${web.fp}`), await typed('history node node1.example.test')];
    expect(alike(`${why}${what}`)).toEqual(alike(shown('what bears on it')));
  });
});
