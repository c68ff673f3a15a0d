import { describe, expect, it } from 'vitest';
import { faultOfEndpoint, isEndpoint, isPrivate } from '../../../lib/machine/endpoint.ts';

describe('an endpoint', () => {
  it.each([
    'nowhere',
    'file:///etc/passwd',
    'data:text/html,x',
    'javascript:0',
    'ftp://muster.acme.org',
    'https://muster.acme.org?a=1',
    'https://a:b@muster.acme.org',
    'https://300.1.1.1',
    '',
  ])('%s is none, whatever is insisted on, and no password is repeated', (endpoint) => {
    expect(isEndpoint(endpoint)).toBe(false);
    for (const insecure of [true, undefined]) expect(faultOfEndpoint(endpoint, insecure)).toContain('is not an address of a deployment');
    expect(faultOfEndpoint(endpoint, true)).not.toContain('a:b');
  });

  it.each([
    'https://muster.acme.org',
    'https://192.0.2.1:8443',
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://LOCALHOST:1',
    'http://[::1]:8080',
  ])('%s keeps what is said between the two', (endpoint) => {
    expect(isPrivate(endpoint)).toBe(true);
    expect(faultOfEndpoint(endpoint, undefined)).toBeUndefined();
  });

  it.each(['http://muster.acme.org', 'http://192.0.2.1', 'http://127.0.0.1.acme.org', 'http://localhost.acme.org', 'http://0.0.0.0:8080'])(
    '%s does not, and is called only by whoever says so',
    (endpoint) => {
      expect(faultOfEndpoint(endpoint, undefined)).toContain('does not use https');
      expect(faultOfEndpoint(endpoint, true)).toBeUndefined();
    },
  );
});
