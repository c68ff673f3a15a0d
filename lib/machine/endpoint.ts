/** Whether an address is this machine's own: a loopback address, or `localhost`. */
export const isLoopback = (endpoint: string): boolean =>
  /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/i.test(URL.parse(endpoint)?.hostname ?? '');

/** Whether only the address itself can read what is sent to it: by TLS, or because it never leaves this machine. */
export const isPrivate = (endpoint: string): boolean => URL.parse(endpoint)?.protocol === 'https:' || isLoopback(endpoint);

/** An address of a deployment: of http or https, with nothing behind its path, and no user name or password in it. */
export function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
}

/**
 * The reason, for the operator, why a machine does not call Muster at this address; undefined if it does. Calls are
 * signed, but answers are not, and tokens can be read. An attacker on the way could join in this machine's place, and
 * choose the systems and nodes that it trusts.
 */
export const faultOfEndpoint = (endpoint: string, insecure: boolean | undefined): string | undefined => {
  // The part before an @ may be a password: it is not repeated.
  if (!isEndpoint(endpoint))
    return `${endpoint.replace(/.*@/s, '…@')} is not an address of a deployment: give one such as https://muster.example.org`;
  return insecure || isPrivate(endpoint)
    ? undefined
    : `${endpoint} does not use https, so an attacker on the way could answer in its place: give an https address, or --insecure if the network is yours alone`;
};

/** A function's own address on AWS, which only AWS hands out and answers. */
const functionUrl = /^[a-z0-9]+\.lambda-url\.[a-z0-9-]+\.on\.(aws|amazonwebservices\.com\.cn)$/;

/**
 * Whether a machine that calls Muster at one address may also call another address that Muster names: a function of AWS
 * by https, or any on this machine if Muster is on it. Other addresses are ignored; otherwise a false Muster could send
 * the machine's tokens anywhere.
 */
export function mayBeNamed(endpoint: string): (address: string) => boolean {
  return (address) => {
    const url = URL.parse(address);
    if (url?.username !== '' || url.password !== '') return false;
    return (
      (url.protocol === 'https:' && url.port === '' && functionUrl.test(url.hostname)) || (isLoopback(endpoint) && isLoopback(address))
    );
  };
}
