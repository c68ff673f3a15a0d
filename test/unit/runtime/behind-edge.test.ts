import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { Later } from '../../../lib/core/errors.ts';
import type { Origin } from '../../../lib/ports/keys/origin.ts';
import { callerOf, hostOf } from '../../../lib/runtime/behind-edge.ts';
import type { HttpRequest } from '../../../lib/runtime/function.ts';
import { lambda } from '../../../lib/runtime/lambda.ts';
import { aShell } from '../../../tools/support/a-shell.ts';

const secret = 's'.repeat(64);
const edge = '198.51.100.9';
const caller = '203.0.113.7';
const origin: Origin = { isFromEdge: async (shown) => shown === secret };
const arrived = (headers: Record<string, string>) => ({ headers, requestContext: { http: { sourceIp: edge } } });
const through = (forwarded: string) => callerOf(arrived({ 'muster-origin': secret, 'x-forwarded-for': forwarded }), origin);

describe('the address of a caller', () => {
  it('is who called the API, where there is no edge, whatever the call says', async () => {
    const lying = { 'muster-origin': secret, 'x-forwarded-for': caller };
    expect(await callerOf(arrived(lying), undefined)).toBe(edge);
  });
  it('is the one that the edge saw, behind an edge', async () => {
    expect(await through(`${caller}, ${edge}`)).toBe(caller);
    expect(await through(caller)).toBe(caller);
    expect(await through(`2001:db8::7,${edge}`)).toBe('2001:db8::7');
  });
  it('is not what the caller said that it was', async () => {
    expect(await through(`192.0.2.1, ${caller}, ${edge}`)).toBe(caller);
    expect(await through(`192.0.2.1, ${edge}, ${caller}, ${edge}`)).toBe(caller);
  });
  it('is the edge itself when nothing else is known', async () => {
    const shown = { 'muster-origin': secret };
    expect(await callerOf(arrived(shown), origin)).toBe(edge);
    expect(await through(edge)).toBe(edge);
    expect(await through('')).toBe(edge);
  });
});

describe('the name that a caller has called', () => {
  const named = { host: 'api.example.com', 'muster-name': 'muster.acme.org' };
  it('is the one that the edge says', () => {
    expect(hostOf({ headers: named }, origin)).toBe('muster.acme.org');
    expect(hostOf({ headers: { host: 'api.example.com' } }, origin)).toBe('api.example.com');
  });
  it('is the host name of the call where there is no edge, whatever the call says', () => {
    expect(hostOf({ headers: named }, undefined)).toBe('api.example.com');
  });
});

describe('a call that went around the edge', () => {
  const asked: HttpRequest[] = [];
  const handler = (around: Origin) =>
    lambda({ on: 'route', handle: (request) => ({ status: 200, headers: { at: String(asked.push(request)) } }) }, aShell, () => around);
  const call = async (headers: Record<string, string>, around = origin) => {
    asked.length = 0;
    const event = { rawPath: '/system/status', rawQueryString: '', headers, requestContext: { http: { method: 'GET', sourceIp: edge } } };
    const run = handler(around) as unknown as (event: object, context: Context) => Promise<{ statusCode: number; body: string }>;
    const { statusCode, body } = await run(event as unknown as APIGatewayProxyEventV2, { awsRequestId: 'call-7' } as Context);
    return { status: statusCode, type: body && (JSON.parse(body) as { type: string }).type };
  };

  it.each([
    ['shows nothing', {}],
    ['shows another secret', { 'muster-origin': 'x'.repeat(64) }],
    ['shows two', { 'muster-origin': `${secret},${secret}` }],
    ['says where it comes from', { 'x-forwarded-for': caller }],
  ])('and %s is refused before any door is asked', async (_what, headers) => {
    expect(await call(headers)).toEqual({ status: 421, type: 'urn:muster:problem:misdirected' });
    expect(asked).toEqual([]);
  });
  it('is told to come again when the secret cannot be read', async () => {
    const away: Origin = {
      isFromEdge: async () => {
        throw new Later('service.busy', 'read the origin secret: away');
      },
    };
    expect(await call({ 'muster-origin': secret }, away)).toEqual({ status: 503, type: 'urn:muster:problem:busy' });
    expect(asked).toEqual([]);
  });
  it('is answered when it came through the edge, and the door is told who called', async () => {
    expect(await call({ 'muster-origin': secret, 'x-forwarded-for': `${caller}, ${edge}` })).toEqual({ status: 200, type: '' });
    expect(asked).toMatchObject([{ path: '/system/status', source: caller }]);
  });
  it('names the public address to the door, by which sign-in links are made', async () => {
    await call({ 'muster-origin': secret, host: 'api.example.com', 'muster-name': 'muster.acme.org' });
    expect(asked[0]?.header('host')).toBe('muster.acme.org');
  });
});
