import { exitCodes, Failure } from './exit-codes.ts';

/** Whether an address is this machine's own, by its number or by the name that every machine has for it. */
export const isLoopback = (endpoint: string): boolean =>
  /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/i.test(URL.parse(endpoint)?.hostname ?? '');

/** Whether what is sent to an address stays between us and it: by TLS, or because it never leaves this machine. */
export const isPrivate = (endpoint: string): boolean => URL.parse(endpoint)?.protocol === 'https:' || isLoopback(endpoint);

/** Throws a {@link Failure} where a secret would be read by everybody on the way, unless that is what the person wants. */
export function wantPrivate(endpoint: string, insecure: boolean | undefined): void {
  if (insecure || isPrivate(endpoint)) return;
  throw new Failure(
    exitCodes.usage,
    `${endpoint} is not reached by https: whoever sees the call go by could use its token`,
    'Give an https address, or --insecure if the network is yours alone',
  );
}
