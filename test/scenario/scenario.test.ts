import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../lib/ports/bus/bus.ts';
import { stepped } from '../../tools/support/stepped.ts';
import { Cast, nameOf } from './cast.ts';
import { perform } from './lines.ts';
import { calledIn } from './storage-cast.ts';

/*
 * A script is a story: `#` lines tell it, every other line is something that somebody does, or time that passes (see
 * lines.ts). Beside it is what was answered (→) and what Muster concluded meanwhile (*), each with the time of day.
 * `UPDATE=1` records it anew.
 */

/** Plays a script in a new world; gives what is recorded beside it. */
async function play(script: string): Promise<string> {
  const world = await stepped({ zoneMaxAgeMs: 250 });
  const cast = new Cast(world);
  const out: string[] = [];
  let concluded = 0;
  for (const text of script.trimEnd().split('\n')) {
    if (text === '' || text.startsWith('#')) {
      out.push(text);
      continue;
    }
    out.push(`${new Date(world.now()).toISOString().slice(11, 19)}  ${text}`);
    for (const answer of await perform(cast, text)) out.push(`            → ${answer}`);
    await world.step(0);
    for (const event of world.bus.published.slice(concluded)) out.push(`            * ${conclusion(event, cast)}`);
    concluded = world.bus.published.length;
  }
  return `${out.join('\n')}\n`;
}

/** An event in short: when, what, and about whom. */
function conclusion({ time, type, data }: Envelope, cast: Cast): string {
  const { fqdn, node, slots, mode, planned, reason, disposition, level, attempts, retry } = data as Readonly<Record<string, unknown>>;
  const about = typeof fqdn === 'string' ? ` ${nameOf(fqdn)}` : aboutProcess(data, cast);
  const more = Object.entries({ slots, mode, planned, reason, disposition, level, attempts, retry }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  const where = type === 'client.assigned' && typeof node === 'string' ? ['to its node'] : [];
  return `${time.slice(11, 19)} ${type}${about}${[...where, ...more].map((one) => `, ${one}`).join('')}`;
}

/** The process of a storage cluster that an event is about, or the service of a node, or who coordinates. */
function aboutProcess(data: unknown, cast: Cast): string {
  const { process, service, host, instance, epoch } = data as Readonly<Record<string, unknown>>;
  if (typeof service === 'string') return ` ${service} of ${nameOf(String(host))}, start ${String(instance).split('.')[1]}`;
  if (typeof epoch === 'number') return ` ${nameOf(String(host))}, epoch ${epoch}`;
  return typeof process === 'string' ? ` ${calledIn(cast, process)}` : '';
}

const scripts = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.txt'));

describe('a story', () => {
  it.each(scripts)('%s is played as it was recorded', async (file) => {
    const recorded = join(import.meta.dirname, file.replace(/\.txt$/, '.out'));
    const played = await play(readFileSync(join(import.meta.dirname, file), 'utf8'));

    if (process.env['UPDATE'] === '1') writeFileSync(recorded, played);
    expect(existsSync(recorded), `${file} was never recorded: UPDATE=1`).toBe(true);
    expect(played).toBe(readFileSync(recorded, 'utf8'));
  });

  it('plays the same way twice', async () => {
    const script = readFileSync(join(import.meta.dirname, 'a-node-is-lost.txt'), 'utf8');

    expect(await play(script)).toBe(await play(script));
  });

  it('does not go on past a line that means nothing', async () => {
    await expect(play('node1 sings')).rejects.toThrow('nobody knows how to play: node1 sings');
  });
});
