import type { Config } from '../config.ts';
import { between, oneOf, randomOf, rateOf } from '../random.ts';

/** The kinds of faults of histories of the gateway, with what each does. */
export const gatewayFaults = {
  'server-hangs': 'a Uyuni server says nothing to the gateway: to no call for a while, or from the middle of an answer on',
  'server-slow': 'a Uyuni server rests for seconds between the parts of an answer',
  'server-cuts': 'a Uyuni server breaks off: before it has read a call, after it has carried it out, or in the middle of the answer',
  'server-babbles': 'a Uyuni server answers malformed XML, another document, or a value of another type',
  'server-lies': 'a Uyuni server answers with systems that it does not have, twice, or not at all, and with a session that is none',
  'server-faults': 'a Uyuni server refuses a call with a fault of its own',
  'server-forgets': 'a Uyuni server ends a session while it is in use',
  'muster-lags': 'Muster answers the gateway late, refuses it, or is away',
  'caller-leaves': 'who has called the gateway goes before the answer has come',
  'caller-dawdles': 'who has called the gateway rests between the parts of the answer',
} as const;

/** The configuration of a seed for a history of the gateway: each kind of its faults is on in every other one. */
export function gatewayConfigOf(seed: number): Config {
  const random = randomOf(seed, 'configuration of a gateway');
  const faults = Object.fromEntries(
    Object.keys(gatewayFaults).flatMap((kind): [string, number][] => {
      const own = randomOf(seed, `configuration ${kind}`);
      return own() < 0.5 ? [[kind, rateOf(own)]] : [];
    }),
  ) as Config['faults'];
  return {
    ...{ seed, gateway: true, shape: 'embedded', faults, automation: false, slots: 1024 },
    nodes: random() < 0.1 ? 1 : between(random, 2, 5),
    clients: between(random, 0, 24),
    admins: between(random, 1, 6),
    faultMs: 60_000 * (oneOf(random, [1, 3, 8]) ?? 3),
  };
}
