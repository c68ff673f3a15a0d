import type { ServiceReport } from '../../events/reported/service.ts';
import { type Check, jsonTextMax, type Verdict } from '../core/check.ts';
import { type Decision, type Nothing, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { differsBetween, isSameConfiguration, placesOf } from './differs.ts';
import { attemptsMax, configuredEvent, dueAt, started } from './move.ts';
import { runsWith } from './relations.ts';
import { shownPointer, withStored } from './rows/secrets.ts';
import type { ShutOut } from './rows/service-type.ts';
import { instanceOf, type Service } from './service.ts';
import type { CataloguedType } from './types.ts';

type Report = Extract<ServiceReport, { type: 'service.configured' }>;
/**
 * What such a word rests on: its type, as far as that is known, that it is shut out, and what a check by its schema
 * found, where one was made.
 */
export type OfType = {
  readonly of?: CataloguedType | undefined;
  readonly verdict?: Verdict | undefined;
  readonly shutOut?: ShutOut | undefined;
};

/**
 * What a service says that it runs with, as JSON text, with what is stored in the place of each mask: what it ran with
 * so far, or else what was ordered. Refused is what has a mask where nothing is stored, and what is longer than a
 * configuration may be once the secrets are in it.
 */
function saidBy(
  service: Service,
  { data }: Report,
  of: CataloguedType | undefined,
): { readonly text: string } | { readonly refused: string } {
  const given = JSON.stringify(data.configuration);
  if (!of) return { text: given };
  const { text, faults } = withStored(of.schema.configuration, given, [runsWith(service), service.configuration]);
  if (faults.length > 0) return { refused: 'what it says that it runs with has a mask where no secret is stored' };
  return text.length > jsonTextMax ? { refused: `what it says that it runs with has more than ${jsonTextMax} characters` } : { text };
}

/**
 * What is to be checked before a word about a configuration is decided upon: what its type accepts becomes what is
 * ordered.
 */
export function checkOfConfigured(
  service: Service | undefined,
  report: Report,
  { of, shutOut }: Omit<OfType, 'verdict'>,
): Check | undefined {
  if (!service || of?.type.onDrift !== 'accept' || shutOut) return undefined;
  if (report.data.instance !== instanceOf(service)) return undefined;
  const said = saidBy(service, report, of);
  if ('refused' in said || isSameConfiguration(said.text, service.configuration)) return undefined;
  return { schema: of.schema.configuration, data: said.text };
}

type Around = OfType & { readonly isOfNext: boolean; readonly also: Partial<Service> };

/**
 * It says what it runs with, which it has changed itself. By the rule of its type that is what is ordered from then on,
 * or it is started again as it was ordered, a few times; without a rule it is shown until an operator configures it.
 */
export function onConfigured(
  service: Service,
  report: Report,
  around: Around,
  now: EpochMs,
): Decision<Service> & { readonly refused?: true } {
  const { of, isOfNext, also } = around;
  const { is } = service.state;
  if (is === 'offline' || (is === 'failed' && !isOfNext)) return refused(`it is ${is}: it runs with nothing`);
  const said = saidBy(service, report, of);
  if ('refused' in said) return refused(said.refused);
  if (isSameConfiguration(said.text, service.configuration)) return asOrdered(service, also);
  const differs = differsBetween(of?.schema.configuration, service.configuration, said.text);
  return drifted(service, { ...around, text: said.text, differs }, now);
}

/** What it says is what was ordered: of a drift that there was this is the end. */
function asOrdered(service: Service, also: Partial<Service>): Decision<Service> {
  const { drift, ...rest } = { ...service, ...also };
  if (!drift) return write<Service, never>(rest, 'it runs with what was ordered', { wakeAt: dueAt(rest) });
  return write(rest, 'it runs with what was ordered again', { events: [configuredEvent(rest, [], 'nothing')], wakeAt: dueAt(rest) });
}

type Drifted = Around & { readonly text: string; readonly differs: readonly string[] };

/** What it says is something else: the rule of its type is followed where it can be, and it is shown where not. */
function drifted(service: Service, found: Drifted, now: EpochMs): Decision<Service> {
  const { of, differs } = found;
  const what = `it runs with another configuration than was ordered, at ${placesOf(differs)}`;
  const why = whyShown(service, found);
  if (why !== undefined) return shown(service, found, `${what}: ${why}`, now);
  const { drift: _ended, ...rest } = { ...service, ...found.also };
  if (of?.type.onDrift === 'accept') {
    const next: Service = { ...rest, configuration: found.text, accepted: true };
    const events = [configuredEvent(next, differs, 'accept')];
    return write(next, `${what}: that is what is ordered from now on, as its type says`, { events, wakeAt: dueAt(next) });
  }
  const restored = (service.restored ?? 0) + 1;
  const because = `${what}: it is started again as it was ordered, ${restored} of ${attemptsMax} times`;
  const again = started(rest, { because, also: { restored } }, now);
  return again.does === 'write' ? { ...again, events: [configuredEvent(service, differs, 'restore'), ...again.events] } : again;
}

/** It is shown with what it says. What it has said before is no news. */
function shown(service: Service, { also, text, differs }: Drifted, because: string, now: EpochMs): Decision<Service> {
  const { drift, ...rest } = { ...service, ...also };
  if (drift && isSameConfiguration(text, drift.configuration))
    return write<Service, never>({ ...rest, drift }, 'it has said so already', { wakeAt: dueAt(service) });
  const next: Service = { ...rest, drift: { configuration: text, since: now } };
  return write(next, because, { events: [configuredEvent(next, differs, 'nothing')], wakeAt: dueAt(next) });
}

/** Why it is only shown with what it says; undefined where the rule of its type is to be followed. */
function whyShown(service: Service, { of, verdict, shutOut, text }: Drifted): string | undefined {
  const { is } = service.state;
  if (is === 'failed') return 'its agent has started it again';
  if (!of?.type.onDrift) return 'its type has no rule for that';
  if (of.type.onDrift === 'restore') {
    if (service.stopping || is === 'stopping') return 'it is about to end';
    return (service.restored ?? 0) >= attemptsMax ? `it was started again ${attemptsMax} times for that` : undefined;
  }
  if (shutOut) return 'it cannot be accepted: its type is shut out';
  if (!verdict) return 'it is not checked';
  if (verdict.is === 'late') return `it cannot be accepted: ${verdict.because}`;
  if (verdict.is === 'unusable') return 'it cannot be accepted: the schema of its type cannot be used';
  const [first] = verdict.faults;
  return first && `it is not one of its type, at ${placesOf([shownPointer(of.schema.configuration, text, first.pointer)])}`;
}

const refused = (because: string): Nothing & { readonly refused: true } => ({ ...nothing(because), refused: true });
