import { type Bug, patch } from '../bug.ts';

const whole = 'one-whole-load-becomes-the-cluster';
const seen = 'a-load-is-seen-whole-or-not-at-all';

/** Mistakes about facts that are loaded, and the devices in them. */
export const loadBugs: readonly Bug[] = [
  {
    name: 'a-load-is-the-cluster-before-it-is-whole',
    breaks: whole,
    why: 'whoever finishes a load has handed in all of it',
    foundIn: { world: 'loading', seed: 1 },
    patches: [patch('  if (!findings.ok) await takeParts(', '  findings.ok = true;\n  if (!findings.ok) await takeParts(')],
  },
  {
    name: 'a-cluster-is-loaded-again',
    breaks: whole,
    why: 'rows that are there are left as they are, so that nothing can go wrong',
    foundIn: { world: 'loading', seed: 1 },
    patches: [
      patch('if (cluster.loaded?.identity === asked.identity)', 'if (cluster.loaded?.identity === asked.identity && going)'),
      patch("  if (cluster.loaded) return { is: 'other-facts'", "  if (cluster.loaded && going) return { is: 'other-facts'"),
    ],
  },
  {
    name: 'a-load-that-is-the-cluster-goes-on',
    breaks: whole,
    why: 'its row ends by itself some day',
    foundIn: { world: 'loading', seed: 1 },
    patches: [
      patch(
        "{ ref: loadRef(state.zone), readRev: load.rev, decision: { does: 'remove', last: going, events: [], because } },",
        '{ ref: loadRef(state.zone), readRev: load.rev, decision: nothing(because) },',
      ),
    ],
  },
  {
    name: 'processes-are-seen-as-they-are-loaded',
    breaks: seen,
    why: 'a row that is there is there',
    foundIn: { world: 'loading', seed: 1 },
    patches: [patch('  load === undefined || load === loaded?.load;', '  load === undefined || load === (loaded?.load ?? load);')],
  },
  {
    name: 'a-loaded-process-is-not-seen',
    breaks: seen,
    why: 'what is of a load is for nobody',
    foundIn: { world: 'loading', seed: 2 },
    patches: [patch('  load === undefined || load === loaded?.load;', '  load === undefined;')],
  },
  {
    name: 'a-load-that-was-given-up-is-forgotten',
    breaks: 'nothing-is-left-of-other-loads',
    why: 'the next load writes over it',
    foundIn: { world: 'loading', seed: 4 },
    patches: [patch('if (load !== undefined && load !== loaded) return true;\n', '')],
  },
  {
    name: 'what-is-loaded-is-garbage',
    breaks: whole,
    why: 'rows of a load are garbage unless it is under way',
    foundIn: { world: 'loading', seed: 1 },
    patches: [patch('if (load !== undefined && load !== loaded) return true;', 'if (load !== undefined) return true;')],
  },
  {
    name: 'a-dump-has-no-networks',
    breaks: 'a-dump-is-what-was-loaded',
    why: 'the network of a host can be seen from its endpoints',
    foundIn: { world: 'loading', seed: 1 },
    patches: [patch('m0h_fqdn: fqdn,\n      ...(lnid !== undefined && { lnid }),', 'm0h_fqdn: fqdn,')],
  },
  {
    name: 'a-load-takes-numbers-that-it-does-not-reserve',
    breaks: 'a-number-is-given-once',
    why: 'a load that is given up has given nothing to anybody',
    foundIn: { world: 'loading', seed: 1 },
    patches: [patch('const last = base + Math.ceil(size.fids / fidBlock) * fidBlock;', 'const last = base;')],
  },
  {
    name: 'a-device-comes-twice',
    breaks: 'a-device-is-of-one-service',
    why: 'every part was checked when it was handed in',
    foundIn: { world: 'loading', seed: 1 },
    patches: [patch('if (this.#wwns.has(wwn)) this', 'if (this.#wwns.has(serial)) this')],
  },
  {
    name: 'a-device-of-a-stopped-service-is-online',
    breaks: 'devices-follow-their-services',
    why: 'a disk turns whether or not somebody serves it',
    foundIn: { world: 'loading', seed: 1 },
    patches: [patch("  offline: 'inhibited',\n  starting: 'online',", "  offline: 'online',\n  starting: 'online',")],
  },
];
