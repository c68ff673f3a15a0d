import { describe, expect, it } from 'vitest';
import { emulatorAccount } from '../../infra/settings.ts';
import { wiring } from '../../infra/wiring.ts';
import { keyOf, leadOf, nouns } from '../../lib/ports/table/keys.ts';
import { runHistory } from '../simulation/run.ts';
import { mayWrite } from '../support/iam.ts';
import { rolePolicies } from './role-policies.ts';
import { synthesized } from './synthesized.ts';

const policies = rolePolicies(synthesized({ context: { functionUrls: 'on' } }).Control);
const functions = Object.keys({ ...wiring.functions, ...wiring.direct });
/** The partition of some row of a noun. */
const partitionOf = (noun: string): string => keyOf({ noun, id: ids[noun] ?? 'a/1.1' }).pk;
const ids: Readonly<Record<string, string>> = {
  audit: 'default/2026-07-04/1',
  process: 'a/0x7200000000000001:0x1',
  devices: 'a/0x7200000000000001:0x1',
};
/** Who may write to partitions that begin so. */
const writersOf = (lead: string): string[] =>
  functions.filter((name) => mayWrite(policies[name]!, [lead === 'deployment' ? lead : `${lead}#x`]));

describe('the conditions of the roles', () => {
  it('keep what rights rest on, and what says who did what, to whoever has business with it', () => {
    // A search notes that a key, or a session, was used.
    for (const lead of ['api-key', 'subject']) expect(writersOf(lead)).toEqual(['admin', 'search']);
    expect(writersOf('webhook')).toEqual(['admin']);
    expect(writersOf('idempotency')).toEqual(['admin']);
    for (const lead of ['audit', 'audit-heads', 'audited', 'history', 'journal']) expect(writersOf(lead)).toEqual(['publish']);
    expect(writersOf('join-token')).toEqual(['node-door', 'admin']);
    expect(writersOf('onboarding-token')).toEqual(['knock', 'admin']);
    expect(writersOf('deployment')).toEqual(['node-door', 'admin', 'sweep', 'webhooks']);
  });

  it('know every partition of the table, so that every noun has somebody who may write it', () => {
    for (const noun of nouns) {
      const writers = functions.filter((name) => mayWrite(policies[name]!, [partitionOf(noun)]));
      expect([noun, writers]).toEqual([noun, expect.arrayContaining([expect.any(String)])]);
    }
    const leads = new Set(nouns.map((noun) => leadOf(partitionOf(noun))));
    const named = Object.values(wiring.functions).flatMap(({ writes = [] }) => [...writes]);
    expect(named.filter((lead) => !leads.has(lead))).toEqual([]);
  });

  it('refuse a commit that writes one row of others, and a call that names no partition', () => {
    expect(mayWrite(policies['publish']!, ['history#node%3Aa', 'audit#default#2026-07-04'])).toBe(true);
    expect(mayWrite(policies['publish']!, ['history#node%3Aa', 'api-key#mk_1'])).toBe(false);
    for (const name of functions) expect([name, mayWrite(policies[name]!, undefined)]).toEqual([name, false]);
  });

  it('fit into a role: 10,240 characters with everything else that it may do', () => {
    for (const name of functions) expect([name, JSON.stringify(policies[name]).length < 9_000]).toEqual([name, true]);
  });

  it('ask an emulator, which names no partitions, for nothing that it would refuse', () => {
    const emulated = rolePolicies(synthesized({ account: emulatorAccount }).Control);
    expect(mayWrite(emulated['publish']!, undefined)).toBe(true);
    expect(mayWrite(emulated['publish']!, ['api-key#mk_1'])).toBe(false);
  });

  it('let every function do its work in histories with people, automation, storage, services and webhooks', {
    timeout: 240_000,
  }, async () => {
    for (const more of [
      { seed: 1, webhooks: true, automation: true },
      { seed: 2, storage: true, services: true, supervisors: true, stations: 2 },
    ]) {
      const config = {
        shape: 'aws',
        faults: {},
        nodes: 2,
        clients: 4,
        admins: 1,
        automation: false,
        slots: 1024,
        faultMs: 120_000,
        ...more,
      } as const;
      expect((await runHistory(config)).violations).toEqual([]);
    }
  });
});
