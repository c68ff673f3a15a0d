import type { EpochMs } from '../../core/time.ts';
import { describeFreeze, type Guardrails } from './guardrails.ts';

/** One rule that holds something in a zone, in a sentence, and since when; `rack`: the dark rack, for rule 8. */
export type ActiveRule = { readonly rule: 6 | 7 | 8 | 16; readonly because: string; readonly at?: EpochMs; readonly rack?: string };

/** What a zone's guard-rails hold; empty when they hold nothing. */
export function activeRules({ disrupted, racks, freeze }: Guardrails): ActiveRule[] {
  return [
    ...(disrupted ? [{ rule: disrupted.rule, because: describeDisruption(disrupted), at: disrupted.since }] : []),
    ...(racks ?? []).map(({ rack, until }) => ({
      ...({ rule: 8, rack } as const),
      because: `rule 8: all nodes of rack ${rack} fell silent in one window; those still silent are held until ${iso(until)} at the latest`,
    })),
    ...(freeze ? [{ rule: 16 as const, because: `rule 16: an operator has frozen the zone: ${describeFreeze(freeze)}` }] : []),
  ];
}

function describeDisruption({ rule, silent, nodes, until, calmSince }: NonNullable<Guardrails['disrupted']>): string {
  const share = `${silent} of ${nodes} nodes fell silent`;
  if (rule === 7) return `rule 7: ${share}; the zone is disrupted until fewer are silent, or an operator calms it`;
  const soon = calmSince === undefined ? '' : `, or until two leases after ${iso(calmSince)} if few nodes stay silent`;
  return `rule 6: ${share} together; the zone is disrupted until ${iso(until)} at the latest${soon}`;
}

/** The guard-rails as the API shows them; empty when they hold nothing. */
export function guardrailsView({ disrupted, racks, freeze }: Guardrails) {
  return {
    ...(disrupted && {
      disrupted: {
        rule: disrupted.rule,
        since: iso(disrupted.since),
        silent: disrupted.silent,
        nodes: disrupted.nodes,
        ...(disrupted.rule === 6 && { until: iso(disrupted.until) }),
      },
    }),
    ...(racks && racks.length > 0 && { darkRacks: racks.map(({ rack }) => rack) }),
    ...(freeze && { frozen: freeze }),
  };
}

const iso = (at: EpochMs): string => new Date(at).toISOString();
