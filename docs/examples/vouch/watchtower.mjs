/*
 * Vouches for one machine by the API, as long as it is seen to live. A sender by the bus does the same, and has its
 * events from a rule.
 */
const { MUSTER_ENDPOINT, MUSTER_KEY, NODE, FQDN, BOOT } = process.env;
const facts = { fqdn: FQDN, address: '10.1.2.7', memoryMib: 32_000, cpus: 8, interfaces: [] };
const load = { load1: 0.2, load5: 0.3, load15: 0.3, memoryUsedMib: 9_000, memoryMib: 32_000, systems: 0 };
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
/** What events have told: the incarnation of this boot, once it is acknowledged, and the number of the last event. */
let incarnation;
let after = 0;
let flushed;

async function call(path, body) {
  const headers = { authorization: `Bearer ${MUSTER_KEY}`, 'content-type': 'application/json' };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${MUSTER_ENDPOINT}/api/v1/${path}`, { headers, ...sent, signal: AbortSignal.timeout(5_000) });
  return { headers: answer.headers, ...(await answer.json()) };
}
const report = (type, more) => call('reports', [{ type, version: 1, id: `${type}-${NODE}-${Date.now()}`, node: NODE, ...more }]);

/** The machine has started, or is heard no more: each time with a higher number. The answer comes as an event. */
async function start() {
  const data = { boot: { id: BOOT, kernel: BOOT }, facts, ...(flushed !== undefined && { flushed }) };
  const { type, headers } = await report('node.up', { seq: Date.now(), data });
  if (type === 'urn:muster:problem:must-rejoin') flushed = Number(headers.get('muster-generation'));
  await wait(1_000);
  for (let page = { more: true }; page.more; ) {
    page = await call(`history/node/${NODE}?after=${after}&limit=200`);
    for (const { seq, type: told, data: of } of page.items) {
      after = seq;
      if (told === 'node.acknowledged' && of.boot === BOOT) incarnation = of.incarnation;
    }
  }
  // Where it was said before it does nothing.
  if (incarnation !== undefined) await report('node.ready', { incarnation, data: {} });
}

/** It lives. What is refused says so: the node was down, was given up, or another is to speak for it. */
async function beat() {
  const { accepted, nextMs } = await report('node.heartbeat', { incarnation, seq: Date.now(), data: { load } });
  if (!accepted) incarnation = undefined;
  return nextMs ?? 1_000;
}

for (;;) {
  try {
    if (incarnation === undefined) await start();
    await wait(incarnation === undefined ? 1_000 : await beat());
  } catch (error) {
    console.error(`Muster is not reached: ${error.message}`);
    await wait(1_000);
  }
}
