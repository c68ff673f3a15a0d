import type * as z from 'zod';
import type { ReportedConfiguration } from '../../../events/reported/service.ts';
import type { InstanceId, ServiceTypeName } from '../../../lib/core/ids.ts';
import { type EpochMs, plusMs, secondMs, unreachable } from '../../../lib/core/time.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import { fallen } from '../supervised/alone.ts';
import { lookAfter } from '../supervised/look.ts';
import type { Life } from '../supervised/thing.ts';
import { type Answered, answered, failed } from './command.ts';
import type { Done } from './decide.ts';
import { changed, forgotten, idle, takeIn, withHeld, withReport } from './fold.ts';
import { type Look, ready, type Seen, seen } from './seen.ts';
import { type Held, type ServicesState, wantedOf } from './state.ts';

/** A service's report about itself. */
export type Report =
  | { readonly is: 'ready'; readonly address?: string | undefined; readonly version?: string | undefined }
  | { readonly is: 'stopping' }
  | { readonly is: 'acquired'; readonly kind: ServiceTypeName; readonly id: string; readonly hold: 'shared' | 'exclusive' }
  | { readonly is: 'released'; readonly kind: ServiceTypeName; readonly id: string }
  | { readonly is: 'configured'; readonly configuration: z.infer<typeof ReportedConfiguration> }
  | { readonly is: 'failed'; readonly reason: string };
/** A report with the instance that made it. */
export type InstanceReport = { readonly service: ServiceTypeName; readonly instance: InstanceId; readonly report: Report };

/** What can happen to services. */
export type Input =
  | { readonly type: 'tick' }
  | { readonly type: 'desired'; readonly rev: number; readonly services: readonly DesiredService[] }
  | { readonly type: 'begun'; readonly service: ServiceTypeName; readonly life?: Life }
  | { readonly type: 'not-begun'; readonly service: ServiceTypeName; readonly why: string; readonly refused?: true }
  /** A signal was sent; `why` when that failed. */
  | { readonly type: 'signalled'; readonly service: ServiceTypeName; readonly signal: 'SIGTERM' | 'SIGKILL'; readonly why?: string }
  | { readonly type: 'forgotten'; readonly service: ServiceTypeName }
  /** `held` as they were when the look began. */
  | { readonly type: 'looked'; readonly held: readonly Held[]; readonly look: Look }
  /** Something has ended: a look is due. */
  | { readonly type: 'ended' }
  | ({ readonly type: 'answered'; readonly service: ServiceTypeName } & Answered)
  | ({ readonly type: 'told' } & InstanceReport);

const signalAgainMs = 5 * secondMs;
/** How long after it was killed an instance that is still there counts as one that does not end. */
const killedMs = 10 * secondMs;

/** Folds an input into the state; the actions are decided afterwards. */
export function hear(state: ServicesState, input: Input, now: EpochMs): Done {
  switch (input.type) {
    case 'tick':
      return just(state);
    case 'desired':
      return just(desired(state, input, now));
    case 'begun':
      return just(changed(state, input.service, ({ busy: _done, ...held }) => ({ ...held, ...(input.life && { life: input.life }) })));
    case 'not-begun':
      return notBegun(state, input, now);
    case 'signalled':
      return signalled(state, input, now);
    case 'forgotten':
      return just(begunAnew(state, input.service, now));
    case 'looked':
      return looked(state, input, now);
    case 'ended':
      return just({ ...state, look: { ...state.look, at: now } });
    case 'answered': {
      const held = state.held.get(input.service);
      return held ? answered(state, held, input, now) : just(state);
    }
    case 'told':
      return just(serviceReported(state, input, now));
    default:
      return unreachable(input);
  }
}

const just = (next: ServicesState): Done => ({ next, actions: [] });
const logged = (next: ServicesState, line: string): Done => ({ next, actions: [{ do: 'say', line }] });

function desired(state: ServicesState, { rev, services }: Extract<Input, { type: 'desired' }>, now: EpochMs): ServicesState {
  const held = new Map(state.held);
  for (const wanted of services) {
    const known = held.get(wanted.service) ?? anew(wanted, now);
    const asked = new Set(wanted.asks.map(({ id }) => id));
    held.set(wanted.service, { ...known, answered: known.answered.filter((id) => asked.has(id)) });
  }
  return { ...state, desired: { version: 1, rev, services: [...services] }, held };
}

const anew = ({ service, instance, stopMs }: DesiredService, now: EpochMs): Held => ({
  service,
  instance,
  stopMs,
  is: 'idle',
  since: now,
  answered: [],
});

function notBegun(state: ServicesState, { service, why, refused }: Extract<Input, { type: 'not-begun' }>, now: EpochMs): Done {
  const held = state.held.get(service);
  if (!held) return just(state);
  const reason = why.slice(0, 400) || 'it could not be started';
  const next = withReport(state, held, { type: 'service.failed', data: { reason, ...(refused && { refused }) } }, now);
  const tried = refused ? {} : fallen(held, 0, state, now);
  return logged(withHeld(next, { ...idle(held, now), ended: held.instance, ...tried }), `could not start service ${service}: ${why}`);
}

function signalled(state: ServicesState, { service, signal, why }: Extract<Input, { type: 'signalled' }>, now: EpochMs): Done {
  const next = changed(state, service, ({ busy: _done, notBefore: _waited, ...held }) => {
    if (why !== undefined)
      return signal === 'SIGTERM' ? { ...held, notBefore: plusMs(now, signalAgainMs) } : { ...held, killAt: plusMs(now, signalAgainMs) };
    return signal === 'SIGTERM' ? { ...held, killAt: plusMs(now, held.stopMs) } : { ...held, killed: true, killAt: plusMs(now, killedMs) };
  });
  if (why !== undefined) return logged(next, `could not stop service ${service} (${why}); trying again`);
  return signal === 'SIGKILL' ? logged(next, `killed service ${service}, which did not stop in its time`) : just(next);
}

/** Forgets a service; one that came back meanwhile gets a new record. */
function begunAnew(state: ServicesState, service: ServiceTypeName, now: EpochMs): ServicesState {
  const wanted = wantedOf(state, service);
  return forgotten(state, service, wanted && anew(wanted, now));
}

function looked(state: ServicesState, { held, look }: Extract<Input, { type: 'looked' }>, now: EpochMs): Done {
  const { next, actions } = takeIn(state, held, {
    foundOf: (service) => look.get(service),
    isAsItWas,
    takeIn: (so, one, found: Seen) => ({
      next: seen(so, one, found, now),
      line: found.is === 'absent' ? endOf(one, found) : undefined,
    }),
  });
  return { next: { ...next, look: { at: lookAfter(next, now), looking: false } }, actions };
}

/** A log line about a service that has ended, and whether it was stopped. */
function endOf({ service, is, announced }: Held, { exit }: Extract<Seen, { is: 'absent' }>): string {
  const how = exit === undefined ? '' : ` (exit status ${exit})`;
  if (is !== 'stopping') return `service ${service} has ended by itself${how}`;
  return announced ? `service ${service} has ended as announced${how}` : `stopped service ${service}`;
}

/** Whether a look applies to a service: it does not if the service started or ended after the look began. */
const isAsItWas = (held: Held, before: Held): boolean => !held.busy && held.is !== 'idle' && held.instance === before.instance;

/** Takes in a service's report about itself; the keeper has checked that the instance runs. */
function serviceReported(state: ServicesState, { service, report }: InstanceReport, now: EpochMs): ServicesState {
  const held = state.held.get(service);
  if (!held) return state;
  switch (report.is) {
    case 'ready':
      return reportedReady(state, held, report, now);
    case 'stopping': {
      if (held.is === 'stopping') return state;
      const next: Held = { ...held, is: 'stopping', since: now, announced: true };
      return withHeld(withReport(state, held, { type: 'service.stopping', data: {} }, now), next);
    }
    case 'acquired':
      return withReport(state, held, { type: 'service.acquired', data: { kind: report.kind, id: report.id, hold: report.hold } }, now);
    case 'released':
      return withReport(state, held, { type: 'service.released', data: { kind: report.kind, id: report.id } }, now);
    case 'configured':
      return withReport(state, held, { type: 'service.configured', data: { configuration: report.configuration } }, now);
    case 'failed':
      return held.failed ? state : failed(state, held, report.reason, now);
  }
}

/** Takes in a report of readiness; a service that is online already may report a new address. */
function reportedReady(
  state: ServicesState,
  held: Held,
  { address, version }: Extract<Report, { is: 'ready' }>,
  now: EpochMs,
): ServicesState {
  const where = { ...(address !== undefined && { address }), ...(version !== undefined && { version }) };
  if (held.is === 'starting') return ready(state, held, where, now);
  return Object.keys(where).length > 0 ? withReport(state, held, { type: 'service.started', data: where }, now) : state;
}
