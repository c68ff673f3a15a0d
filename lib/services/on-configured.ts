import type { ServiceReport } from '../../events/reported/service.ts';
import type { Check, Verdict } from '../checks/checks.ts';
import { type Decision, type Nothing, nothing, write } from '../decision.ts';
import type { EpochMs } from '../units.ts';
import { differsAt, isSameConfiguration, placesOf } from './differs.ts';
import { attemptsMax, attemptsOf, configuredEvent, dueAt, started } from './move.ts';
import { runsWith } from './relations.ts';
import { withStored } from './secrets.ts';
import { instanceOf, type Service } from './service.ts';
import type { CataloguedType } from './types.ts';

type Said = Extract<ServiceReport, { type: 'service.configured' }>['data'];
/** What such a word rests on: its type, as far as that is known, and what a check by the schema of that found, where one was made. */
export type OfType = { readonly of?: CataloguedType | undefined; readonly verdict?: Verdict | undefined };

/** What a service says that it runs with, as JSON text, with what is stored in the place of each mask; undefined where nothing is stored for one. */
function saidText(service: Service, { configuration }: Said, of: CataloguedType | undefined): string | undefined {
  const given = JSON.stringify(configuration);
  if (!of) return given;
  const { text, faults } = withStored(of.schema.configuration, given, runsWith(service));
  return faults.length === 0 ? text : undefined;
}

/** What is to be checked before a word about a configuration is decided upon: what its type accepts becomes what is ordered. */
export function checkOfConfigured(service: Service | undefined, said: Said, of: CataloguedType | undefined): Check | undefined {
  if (!service || of?.type.onDrift !== 'accept' || said.instance !== instanceOf(service)) return undefined;
  const text = saidText(service, said, of);
  if (text === undefined || isSameConfiguration(text, service.configuration)) return undefined;
  return { schema: of.schema.configuration, data: text };
}

/**
 * It says what it runs with, which it has changed itself. By the rule of its type that is what is ordered from then on, or it is started again as
 * it was ordered, a few times; without a rule it is shown until an operator configures it.
 */
export function onConfigured(
  service: Service,
  said: Said,
  { of, verdict, isOfNext, also }: OfType & { readonly isOfNext: boolean; readonly also: Partial<Service> },
  now: EpochMs,
): Decision<Service> & { readonly refused?: true } {
  const { is } = service.state;
  const { drift, ...rest } = { ...service, ...also };
  const noted = (because: string): Decision<Service> => write<Service, never>({ ...service, ...also }, because, { wakeAt: dueAt(service) });
  if (is === 'offline' || (is === 'failed' && !isOfNext)) return refused(`it is ${is}: it runs with nothing`);
  const text = saidText(service, said, of);
  if (text === undefined) return refused('what it says that it runs with has a mask where no secret is stored');
  if (isSameConfiguration(text, service.configuration)) {
    if (!drift) return noted('it runs with what was ordered');
    return write(rest, 'it runs with what was ordered again', { events: [configuredEvent(rest, [], 'nothing')], wakeAt: dueAt(rest) });
  }
  if (drift && isSameConfiguration(text, drift.configuration)) return noted('it has said so already');
  const differs = differsAt(JSON.parse(service.configuration), JSON.parse(text));
  const what = `it runs with another configuration than was ordered, at ${placesOf(differs)}`;
  const show = (why: string): Decision<Service> => {
    const next: Service = { ...rest, drift: { configuration: text, since: now } };
    return write(next, `${what}: ${why}`, { events: [configuredEvent(next, differs, 'nothing')], wakeAt: dueAt(next) });
  };
  if (is === 'failed') return show('its agent has started it again');
  switch (of?.type.onDrift) {
    case undefined:
      return show('its type has no rule for that');
    case 'accept': {
      const why = whyNot(verdict);
      if (why !== undefined) return show(why);
      const next: Service = { ...rest, configuration: text, accepted: true };
      const events = [configuredEvent(next, differs, 'accept')];
      return write(next, `${what}: that is what is ordered from now on, as its type says`, { events, wakeAt: dueAt(next) });
    }
    case 'restore': {
      const attempts = attemptsOf(service, now) + 1;
      if (service.stopping || is === 'stopping') return show('it is about to end');
      if (attempts > attemptsMax) return show(`it was started again ${attemptsMax} times for that`);
      const because = `${what}: it is started again as it was ordered, attempt ${attempts} of ${attemptsMax}`;
      const again = started(rest, { because, also: { attempts } }, now);
      return again.does === 'write' ? { ...again, events: [configuredEvent(service, differs, 'restore'), ...again.events] } : again;
    }
  }
}

const refused = (because: string): Nothing & { readonly refused: true } => ({ ...nothing(because), refused: true });

/** Why what it says cannot be what is ordered, though its type would accept it; undefined where it can. */
function whyNot(verdict: Verdict | undefined): string | undefined {
  if (!verdict) return 'it is not checked';
  if (verdict.is === 'late') return `it cannot be accepted: ${verdict.because}`;
  const [first] = verdict.faults;
  return first && `it is not one of its type (${placesOf([first.pointer])}: ${first.detail})`.slice(0, 300);
}
