import { contract } from '../../lib/contract.ts';
import { write } from '../../lib/core/decision.ts';
import type { ZoneName } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import type { AdmissionRule, AdmissionRules } from '../../lib/nodes/admission/rows/rules.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { nameOf, type Row, type Table } from '../../lib/ports/table/table.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { noon } from './a-row.ts';
import { apiAt } from './operator.ts';

/** Every host is a node as soon as it asks: for tests that are about something else. */
const everyone: AdmissionRule = { name: 'everyone', nodes: '*', zone: defaultZone };

const ref = { noun: 'admission-rules', id: 'deployment' };
const ruleFor = (zone: ZoneName): AdmissionRule => (zone === defaultZone ? everyone : { ...everyone, name: `everyone-in-${zone}`, zone });
const contentAt = (at: EpochMs, zones: readonly ZoneName[] = [defaultZone]) =>
  contentOf(ref, undefined, write<AdmissionRules, never>({ rules: zones.map(ruleFor) }, 'every host is admitted'), {
    by: 'a test',
    at,
    exact: true,
  })!;

/** The initial content of a table in memory, so that every host is admitted. */
export const everyoneIsAdmitted: ReadonlyMap<string, Row> = new Map([[nameOf(keyOf(ref)), { ...contentAt(noon), rev: 1 }]]);

/** Whether a row is the one of {@link everyoneIsAdmitted}, and no part of what happened. */
export const isOfEveryone = ({ key }: Row): boolean => nameOf(key) === nameOf(keyOf(ref));

/**
 * Puts the rule into a table, and one for each zone besides the default one, unless it is there. It emits no events,
 * for it is no part of what happens.
 */
export async function admitEveryoneIn(
  table: Pick<Table, 'read' | 'commit'>,
  at: EpochMs,
  zones: readonly ZoneName[] = [defaultZone],
): Promise<void> {
  if (!(await table.read(keyOf(ref)))) await table.commit([{ put: contentAt(at, zones), readRev: 0 }]);
}

/** Adds the rule to an embedded host, as its operator. Throws the refusal of the host. */
export async function admitEveryone(url: string): Promise<void> {
  const { name, nodes } = everyone;
  const answer = await apiAt(url)(contract.addAdmissionRule, { body: { name, nodes } });
  if (!answer.ok) throw new Error(`the rule for every host was refused: ${answer.problem.detail}`);
}
