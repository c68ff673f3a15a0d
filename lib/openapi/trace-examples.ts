import { at, type Examples, fqdn, id } from './example.ts';

const failed = { code: 'wrong-shape', reason: 'node.up: /data/boot Invalid input: expected object', at };
const deadLetter = {
  id: '0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11',
  status: 'dead' as const,
  queue: 'reports' as const,
  via: 'door' as const,
  sentAt: at,
  deaths: 1,
  receives: 1,
  first: failed,
  last: failed,
  bytes: 18,
  cut: false,
  expiresAt: '2026-05-15T12:00:00Z',
};

/** An example of the body and the answer of each route that tells what happened, why, or what failed. */
export const traceExamples = {
  findThings: {
    reply: {
      items: [{ kind: 'node', id: 'n3f9a07c25e81b46d', name: 'node7.acme.org', zone: 'default', status: 'up' }],
      total: 1,
      query: 'kind:node node7*',
    },
  },
  explain: {
    reply: {
      subject: `node ${fqdn}`,
      state: 'suspect',
      because: 'its lease ran out',
      since: at,
      by: 'sweep-1',
      looksAgainAt: '2026-05-01T12:00:05Z',
      also: [{ subject: 'its standing in zone default', because: 'up at generation 1' }],
    },
  },
  history: {
    reply: {
      items: [
        {
          seq: 1,
          type: 'node.joined',
          version: 1,
          at,
          because: 'its boot is acknowledged',
          by: 'up-1',
          data: { node: id, fqdn, zone: 'default', incarnation: 1, generation: 1 },
        },
      ],
      more: false,
    },
  },
  listChanges: {
    reply: {
      items: [
        {
          specversion: '1.0' as const,
          id: `node/${id}#7`,
          source: 'muster/Muster',
          type: 'node.lost',
          subject: `node/${id}`,
          time: at,
          dataschema: 'muster:node.lost:1',
          datacontenttype: 'application/json' as const,
          eventseq: 7,
          because: 'its lease ran out',
          data: { node: id, fqdn, zone: 'default', incarnation: 1, generation: 1, heardAt: 1_777_636_760_000 },
        },
      ],
      next: 'eyJvcGFxdWUiOnRydWV9',
      more: false,
    },
  },
  listAudit: {
    reply: {
      items: [
        {
          n: 12,
          at,
          zone: 'default',
          who: 'admin:anna',
          source: '192.0.2.9',
          request: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
          did: 'changed',
          what: { noun: 'node', id, row: 'node', rev: 42 },
          because: 'an operator gives it up',
          fields: ['status'],
          events: { first: 9, types: ['node.dropped'] },
          previous: 'a2f3f0c2b8e2d1d9d6a6f0c6d3c0b7c1d5d5a1b1c1f0e7a6b5c4d3e2f1a0b9c8',
          hash: '4d3c0b7c1d5d5a1b1c1f0e7a6b5c4d3e2f1a0b9c8a2f3f0c2b8e2d1d9d6a6f0c6',
        },
      ],
      next: 'eyJvcGFxdWUiOnRydWV9',
    },
  },
  verifyAudit: { reply: { ok: true, entries: 200, days: 3, faults: [], keptSince: '2025-03-27', next: 'eyJvcGFxdWUiOnRydWV9' } },
  listDeadLetters: { reply: { items: [deadLetter], next: 'eyJvcGFxdWUiOnRydWV9' } },
  getDeadLetter: { reply: { ...deadLetter, message: '{"type":"node.up"}' } },
  redriveDeadLetters: {
    body: { ids: [deadLetter.id] },
    reply: { results: [{ id: deadLetter.id, done: true, because: 'given back to the queue reports, attempt 1' }] },
  },
  dropDeadLetters: {
    body: { code: 'wrong-shape' },
    reply: { results: [{ id: deadLetter.id, done: true, because: 'an operator dropped it' }] },
  },
} satisfies Examples;
