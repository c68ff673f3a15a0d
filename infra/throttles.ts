/** The classes of routes, by their purpose: a flood in one class costs the others nothing. */
export type RouteClass =
  | 'heartbeats'
  | 'reports'
  | 'changes'
  | 'actions'
  | 'adoption'
  | 'tickets'
  | 'content'
  | 'wanted'
  | 'metadata'
  | 'keys'
  | 'onboarding'
  | 'status'
  | 'admin'
  | 'searches'
  | 'sessions'
  | 'page'
  | 'heads';

/** The calls a second that are let through, and the calls that may come at once. */
export type Throttle = { readonly rateLimit: number; readonly burstLimit: number };

/**
 * Calls a second that reach the functions by all routes together, and how many may come at once: half of the limit of
 * all HTTP APIs of an account (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html), so that a
 * storm here leaves room for others.
 */
export const throttle: Throttle = { rateLimit: 5_000, burstLimit: 2_500 };

const perSecond = (rateLimit: number): Throttle => ({ rateLimit, burstLimit: rateLimit / 2 });

/**
 * The limits of each route of a class. All routes at their limits stay below {@link throttle}, so that a flood of one
 * route takes nothing from another.
 */
export const throttles: Readonly<Record<RouteClass, Throttle>> = {
  // Ten times the 50 that all nodes send together (lib/core/lease.ts).
  heartbeats: perSecond(500),
  reports: perSecond(150),
  // A node that learns of a change reads it, at most once a heartbeat.
  wanted: perSecond(100),
  // Each is answered with what has come since, which its agent folds into the next one.
  changes: perSecond(80),
  // Once in the life of a server, one report after the other.
  adoption: perSecond(20),
  // People open servers, one at a time.
  tickets: perSecond(10),
  // A revision of some hundred parts goes to a server at a time, and later to many.
  content: perSecond(28),
  metadata: perSecond(130),
  // People order actions; each node then reports after ten seconds at first, and every five minutes later on.
  actions: perSecond(10),
  // Each reads up to a thousand rows. All agents together ask a few a second.
  keys: { rateLimit: 60, burstLimit: 20 },
  // After an outage all client systems knock again: a million within half an hour.
  onboarding: perSecond(600),
  // Ten times the calls of a million client systems.
  status: perSecond(500),
  admin: { rateLimit: 150, burstLimit: 60 },
  // Each may keep a core busy for some ten milliseconds.
  searches: { rateLimit: 50, burstLimit: 20 },
  // People sign in, and their browsers renew sessions every quarter of an hour or less often.
  sessions: { rateLimit: 10, burstLimit: 10 },
  // A browser loads ten files at once when it first opens the page, and then has them.
  page: { rateLimit: 40, burstLimit: 40 },
  // HEAD is only for people who check that the API answers; browsers come here once before they load the page.
  heads: perSecond(4),
};

const wiredClasses: Readonly<Record<string, RouteClass>> = {
  'POST /nodes/join': 'onboarding',
  'POST /nodes/{id}/up': 'reports',
  'POST /nodes/{id}/heartbeat': 'heartbeats',
  'POST /nodes/{id}/events': 'reports',
  'POST /nodes/{id}/leaving': 'reports',
  'POST /nodes/{id}/changes': 'changes',
  'POST /nodes/{id}/adoption': 'adoption',
  'POST /nodes/{id}/actions/{number}/take': 'actions',
  'GET /nodes/{id}/actions/{number}/systems': 'actions',
  'POST /nodes/{id}/actions/{number}': 'actions',
  'POST /nodes/{id}/tickets': 'tickets',
  'POST /nodes/{id}/tickets/{ticket}/entry': 'tickets',
  'GET /nodes/{id}/content/blobs/{blob}': 'content',
  'PUT /nodes/{id}/content/blobs/{blob}': 'content',
  'POST /nodes/{id}/content': 'content',
  'POST /nodes/{id}/rotate': 'wanted',
  'GET /nodes/{id}/desired': 'wanted',
  'GET /nodes/{id}/processes/{fid}/configuration': 'wanted',
  'GET /nodes/{id}/services': 'wanted',
  'POST /nodes/{id}/services/{type}/questions': 'wanted',
  'GET /nodes/{id}/systems': 'wanted',
  'GET /nodes/{id}/systems/{fp}': 'metadata',
  'POST /nodes/{id}/systems/questions': 'keys',
  'GET /nodes/{id}/revoked': 'wanted',
  'GET /nodes/{id}/systems/{fp}/metadata': 'metadata',
  'PUT /nodes/{id}/systems/{fp}/metadata/{kind}': 'metadata',
  'POST /nodes/{id}/systems/{fp}/metadata/{kind}': 'metadata',
  'POST /system/knock': 'onboarding',
  'GET /system/status': 'status',
  'GET /system/orphan': 'status',
  'ANY /api/v1/{proxy+}': 'admin',
  'GET /api/v1/systems/find': 'searches',
  'ANY /session': 'sessions',
  'ANY /session/{proxy+}': 'sessions',
  'GET /': 'heads',
  'GET /sign-in': 'heads',
  'GET /ui': 'heads',
  'GET /ui/{proxy+}': 'page',
};

/** The routes of the API for a wired one: HEAD goes to the same function as GET. */
export const routesFor = (wired: string): readonly string[] => (wired.startsWith('GET ') ? [wired, wired.replace('GET', 'HEAD')] : [wired]);

/** The class of each route of the API. */
export const classes: Readonly<Record<string, RouteClass>> = Object.fromEntries(
  Object.entries(wiredClasses).flatMap(([wired, found]) => routesFor(wired).map((route) => [route, route === wired ? found : 'heads'])),
);

/**
 * The reserved concurrency of functions, which is also their limit, where a deployment reserves it (`-c reserve=on`). A
 * flood of other calls then cannot use up the account's concurrency that heartbeats and the sweep need. Consumers have
 * at least the concurrency of their mappings; the sweep has one more for its rule.
 */
export const reserved: Readonly<Record<string, number>> = {
  'node-door': 60,
  heartbeats: 20,
  sweep: 3,
};
