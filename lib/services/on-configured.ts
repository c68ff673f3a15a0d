import type { ServiceReport } from '../../events/reported/service.ts';
import { type Check, jsonTextMax, type Verdict } from '../core/check.ts';
import { type Decision, type Nothing, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { differsBetween, isSameConfiguration, placesOf } from './differs.ts';
import { attemptsMax, configuredEvent, dueAt, started } from './move.ts';
import { runsWith } from './relations.ts';
import { maskedPointer, withStored } from './rows/secrets.ts';
import type { ShutOut } from './rows/service-type.ts';
import { instanceOf, isSameProcess, type Service } from './service.ts';
import type { CataloguedType } from './types.ts';

type Report = Extract<ServiceReport, { type: 'service.configured' }>;
/**
 * The context of such a report: the type of the service if it is known, whether that type is shut out, and the result
 * of a check by its schema, if there is one.
 */
export type OfType = {
  readonly of?: CataloguedType | undefined;
  readonly verdict?: Verdict | undefined;
  readonly shutOut?: ShutOut | undefined;
};

/**
 * The configuration that a service reports, as JSON text. Each mask in it is replaced by a stored value: the one that
 * the service ran with so far, or else the ordered one. A report is refused if it has a mask where nothing is stored.
 * It is also refused if it is longer than a configuration may be, once the secrets are in it.
 */
function reportedConfiguration(
  service: Service,
  { data }: Report,
  of: CataloguedType | undefined,
): { readonly text: string } | { readonly refused: string } {
  const given = JSON.stringify(data.configuration);
  if (!of) return { text: given };
  const { text, faults } = withStored(of.schema.configuration, given, [runsWith(service), service.configuration]);
  if (faults.length > 0) return { refused: 'its reported configuration has a mask where no secret is stored' };
  return text.length > jsonTextMax ? { refused: `its reported configuration has more than ${jsonTextMax} characters` } : { text };
}

/**
 * The check that must be made before a report about a configuration is decided: a configuration that the type accepts
 * becomes the ordered one. Undefined where none is needed.
 */
export function checkOfConfigured(
  service: Service | undefined,
  report: Report,
  { of, shutOut }: Omit<OfType, 'verdict'>,
): Check | undefined {
  if (!service || of?.type.onDrift !== 'accept' || shutOut) return undefined;
  if (report.data.instance !== instanceOf(service)) return undefined;
  const reported = reportedConfiguration(service, report, of);
  if ('refused' in reported || isSameConfiguration(reported.text, service.configuration)) return undefined;
  return { schema: of.schema.configuration, data: reported.text };
}

type Surroundings = OfType & { readonly isOfNext: boolean; readonly also: Partial<Service> };

/**
 * Applies a report of the configuration that a service runs with, which the service has changed itself. By the rule of
 * its type that configuration becomes the ordered one, or the service is restarted with the ordered one, a limited
 * number of times. Without a rule the drift is only displayed until an operator configures the service.
 */
export function onConfigured(
  before: Service,
  report: Report,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<Service> & { readonly refused?: true } {
  const { of, isOfNext, also } = surroundings;
  const service = reportedBy(before, report);
  const { is } = service.state;
  if (is === 'offline' || (is === 'failed' && !isOfNext)) return refused(`it is ${is}: it runs with no configuration`);
  const reported = reportedConfiguration(service, report, of);
  if ('refused' in reported) return refused(reported.refused);
  if (isSameConfiguration(reported.text, service.configuration)) return asOrdered(service, also);
  const differs = differsBetween(of?.schema.configuration, service.configuration, reported.text);
  return drifted(service, { ...surroundings, text: reported.text, differs }, now);
}

/**
 * The service with the process that reports its configuration, where another one is on record. One that counts on from
 * there is the next process, or that of a second machine with the same boot.
 */
function reportedBy({ configuredBy: _before, ...service }: Service, { data: { pid, born } }: Report): Service {
  if (pid === undefined || isSameProcess(service.running, { pid, born })) return service;
  return { ...service, configuredBy: { pid, ...(born !== undefined && { born }) } };
}

/** The reported configuration is the ordered one. This ends a drift, if there was one. */
function asOrdered(service: Service, also: Partial<Service>): Decision<Service> {
  const { drift, ...rest } = { ...service, ...also };
  if (!drift) return write<Service, never>(rest, 'it runs with the ordered configuration', { wakeAt: dueAt(rest) });
  return write(rest, 'it runs with the ordered configuration again', {
    events: [configuredEvent(rest, [], 'nothing')],
    wakeAt: dueAt(rest),
  });
}

type Drifted = Surroundings & { readonly text: string; readonly differs: readonly string[] };

/**
 * The reported configuration is another one. Muster applies the rule of the type where it can, and only displays the
 * drift otherwise.
 */
function drifted(service: Service, found: Drifted, now: EpochMs): Decision<Service> {
  const { of, differs } = found;
  const what = `its configuration differs from the ordered one at ${placesOf(differs)}`;
  const why = whyOnlyDisplayed(service, found);
  if (why !== undefined) return recordDrift(service, found, `${what}: ${why}`, now);
  const { drift: _ended, ...rest } = { ...service, ...found.also };
  if (of?.type.onDrift === 'accept') {
    const next: Service = { ...rest, configuration: found.text, accepted: true };
    const events = [configuredEvent(next, differs, 'accept')];
    return write(next, `${what}: accepted as the new order by the rule of its type`, { events, wakeAt: dueAt(next) });
  }
  const restored = (service.restored ?? 0) + 1;
  const because = `${what}: it is restarted as ordered, ${restored} of ${attemptsMax} times`;
  const again = started(rest, { because, also: { restored } }, now);
  return again.does === 'write' ? { ...again, events: [configuredEvent(service, differs, 'restore'), ...again.events] } : again;
}

/** Records the drift, which is then displayed. A drift that was reported before is no news. */
function recordDrift(service: Service, { also, text, differs }: Drifted, because: string, now: EpochMs): Decision<Service> {
  const { drift, ...rest } = { ...service, ...also };
  if (drift && isSameConfiguration(text, drift.configuration))
    return write<Service, never>({ ...rest, drift }, 'it has reported this drift already', { wakeAt: dueAt(service) });
  const next: Service = { ...rest, drift: { configuration: text, since: now } };
  return write(next, because, { events: [configuredEvent(next, differs, 'nothing')], wakeAt: dueAt(next) });
}

/** Why the drift is only displayed; undefined where the rule of the type applies. */
function whyOnlyDisplayed(service: Service, { of, verdict, shutOut, text }: Drifted): string | undefined {
  const { is } = service.state;
  if (is === 'failed') return 'its agent has restarted it';
  if (!of?.type.onDrift) return 'its type has no rule for drift';
  if (of.type.onDrift === 'restore') {
    if (service.stopping || is === 'stopping') return 'it is about to end';
    return (service.restored ?? 0) >= attemptsMax ? `it was restarted ${attemptsMax} times for that` : undefined;
  }
  if (shutOut) return 'it cannot be accepted: its type is shut out';
  if (!verdict) return 'it was not checked';
  if (verdict.is === 'late') return `it cannot be accepted: ${verdict.because}`;
  if (verdict.is === 'unusable') return 'it cannot be accepted: the schema of its type cannot be used';
  const [first] = verdict.faults;
  return first && `its type does not allow it, at ${placesOf([maskedPointer(of.schema.configuration, text, first.pointer)])}`;
}

const refused = (because: string): Nothing & { readonly refused: true } => ({ ...nothing(because), refused: true });
