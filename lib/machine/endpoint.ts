/** Whether an address is this machine's own, by its number or by the name that every machine has for it. */
export const isLoopback = (endpoint: string): boolean =>
  /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/i.test(URL.parse(endpoint)?.hostname ?? '');

/** Whether what is sent to an address stays between us and it: by TLS, or because it never leaves this machine. */
export const isPrivate = (endpoint: string): boolean => URL.parse(endpoint)?.protocol === 'https:' || isLoopback(endpoint);

/** An address of a deployment: of http or https, with nothing behind its path, and no user name or password in it. */
export function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
}

/**
 * Why a machine does not call Muster there, in words for its operator; undefined when it does. Calls are signed, but
 * answers are not, and tokens can be read: whoever is on the way could join in this machine's place, and tell it whom
 * to accept and whom to follow.
 */
export const faultOfEndpoint = (endpoint: string, insecure: boolean | undefined): string | undefined => {
  // What is before an @ may be a password: it is not repeated.
  if (!isEndpoint(endpoint))
    return `${endpoint.replace(/.*@/s, '…@')} is no address of a deployment: give one such as https://muster.example.org`;
  return insecure || isPrivate(endpoint)
    ? undefined
    : `${endpoint} is not reached by https: whoever is on the way could answer in its place; give an https address, or --insecure if the network is yours alone`;
};

/** A function's own address on AWS, which nobody but AWS hands out and answers at. */
const functionUrl = /^[a-z0-9]+\.lambda-url\.[a-z0-9-]+\.on\.(aws|amazonwebservices\.com\.cn)$/;

/**
 * Whether a machine that calls Muster at one address may call another one that is named to it there: a function of AWS,
 * by https; on this machine, where Muster is on it, any. A Muster that names others is not followed, or it could send
 * tokens to whomever it likes.
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
