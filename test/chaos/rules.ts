import type { Evidence } from './evidence.ts';
import { clientRules } from './rules-clients.ts';
import { eventRules } from './rules-events.ts';
import { nodeRules } from './rules-nodes.ts';

/** One thing that must hold: its name, what it says, and whatever in the evidence speaks against it, a line each. */
export type Rule = { readonly name: string; readonly says: string; readonly against: (evidence: Evidence) => readonly string[] };

/** What holds whenever nothing waits in a state file's queues and feed. */
export const durable: readonly Rule[] = [...nodeRules, ...clientRules, ...eventRules];

/** Everything in the evidence that speaks against the rules, each line beginning with the rule's name. */
export const violations = (rules: readonly Rule[], evidence: Evidence): string[] =>
  rules.flatMap(({ name, against }) => against(evidence).map((what) => `${name}: ${what}`));
