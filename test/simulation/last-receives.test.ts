import { describe, expect, it } from 'vitest';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import { lastReceives } from './invariants/clients/last-receives.ts';
import type { Court } from './invariants/invariant.ts';
import type { Sent } from './watching.ts';

/**
 * What is said when an embedded host hands a message of this queue back on this receive; `letter`: the dead letter that
 * was given back with it.
 */
function saidOf(queue: QueueName, receives: number, letter?: string, detail = 'throttled'): string[] {
  const said: string[] = [];
  const watcher = lastReceives.begin({ violated: (what: string) => said.push(what) } as unknown as Court);
  watcher.sent!({ queue, id: `${queue}-1`, body: '{}', via: 'door', ...(letter && { letter: { id: letter } }) } as unknown as Sent);
  watcher.logged!('host-1', 'report.later', { id: letter ?? `${queue}-1`, reason: 'service.busy', detail, receives });
  return said;
}

describe('a report that an embedded host hands back', () => {
  it('is a violation on the last receive that its queue allows', () => {
    expect(saidOf('heartbeats', 2)).toEqual(['host-1 handed heartbeats-1 back on receive 2: throttled']);
    expect(saidOf('reports', 5)).toEqual(['host-1 handed reports-1 back on receive 5: throttled']);
    expect(saidOf('reports', 5, 'letter-1')).toEqual(['host-1 handed letter-1 back on receive 5: throttled']);
  });

  it('is none before, though another queue would not hand it out again', () => {
    expect(saidOf('reports', 2)).toEqual([]);
    expect(saidOf('reports', 4, 'letter-1')).toEqual([]);
  });

  it('is none when it could not be put aside', () => {
    expect(saidOf('heartbeats', 2, undefined, 'commits dead#3|dead#reports-1: throttled')).toEqual([]);
  });
});
