/** What callers want of a route: a flood of one kind is to cost the others nothing. */
export type RouteClass = 'heartbeats' | 'reports' | 'wanted' | 'metadata' | 'onboarding' | 'status' | 'admin' | 'heads';

/** How many calls a second are let through, and how many may come at once. */
export type Throttle = { readonly rateLimit: number; readonly burstLimit: number };

/**
 * Calls a second that reach the functions by all routes together, and how many may come at once: half of what an
 * account's HTTP APIs get together (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html), so that
 * a storm here leaves room for others.
 */
export const throttle: Throttle = { rateLimit: 5_000, burstLimit: 2_500 };

const perSecond = (rateLimit: number): Throttle => ({ rateLimit, burstLimit: rateLimit / 2 });

/**
 * What each route of a class lets through. All routes at their limits stay below {@link throttle}, so that each has its
 * own whatever floods another.
 */
export const throttles: Readonly<Record<RouteClass, Throttle>> = {
  // Ten times the 50 that all nodes send together (lib/core/lease.ts).
  heartbeats: perSecond(500),
  reports: perSecond(150),
  // Whoever is told that something changed asks for it, as often as it beats at the most.
  wanted: perSecond(100),
  metadata: perSecond(200),
  // After an outage all knock again: a million within half an hour.
  onboarding: perSecond(600),
  // Ten times what a million client systems ask.
  status: perSecond(500),
  admin: perSecond(300),
  // Somebody who looks whether there is anything: no machine asks by HEAD.
  heads: perSecond(4),
};

const wiredClasses: Readonly<Record<string, RouteClass>> = {
  'POST /nodes/join': 'onboarding',
  'POST /nodes/{id}/up': 'reports',
  'POST /nodes/{id}/heartbeat': 'heartbeats',
  'POST /nodes/{id}/events': 'reports',
  'POST /nodes/{id}/leaving': 'reports',
  'POST /nodes/{id}/rotate': 'wanted',
  'GET /nodes/{id}/desired': 'wanted',
  'GET /nodes/{id}/processes/{fid}/configuration': 'wanted',
  'GET /nodes/{id}/services': 'wanted',
  'POST /nodes/{id}/services/{type}/questions': 'wanted',
  'GET /nodes/{id}/systems': 'wanted',
  'GET /nodes/{id}/systems/{fp}': 'metadata',
  'GET /nodes/{id}/revoked': 'wanted',
  'GET /nodes/{id}/systems/{fp}/metadata': 'metadata',
  'PUT /nodes/{id}/systems/{fp}/metadata/{kind}': 'metadata',
  'POST /nodes/{id}/systems/{fp}/metadata/{kind}': 'metadata',
  'POST /system/knock': 'onboarding',
  'GET /system/status': 'status',
  'GET /system/orphan': 'status',
  'ANY /api/v1/{proxy+}': 'admin',
};

/** The routes that the API has for a wired one: HEAD goes where GET goes. */
export const routesFor = (wired: string): readonly string[] => (wired.startsWith('GET ') ? [wired, wired.replace('GET', 'HEAD')] : [wired]);

/** The class of each route of the API. */
export const classes: Readonly<Record<string, RouteClass>> = Object.fromEntries(
  Object.entries(wiredClasses).flatMap(([wired, found]) => routesFor(wired).map((route) => [route, route === wired ? found : 'heads'])),
);

/**
 * How many of a function always find room to run, and no more do, where a deployment reserves them (`-c reserve=on`): a
 * flood of anything else cannot use up what the account runs at once before heartbeats are heard and time is delivered.
 * Consumers have no less than their mappings ask for; the sweep is started by its rule besides.
 */
export const reserved: Readonly<Record<string, number>> = {
  'node-door': 60,
  heartbeats: 20,
  sweep: 3,
};
