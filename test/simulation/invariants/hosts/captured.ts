import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Key, Row } from '../../../../lib/ports/table/table.ts';
import type { Answered, Signed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps, told } from '../rows.ts';

/** What is taken once, however often it is made: nothing in it grows by which a repeat is known. */
const takenOnce = /^POST \/(nodes\/join|nodes\/[^/]+\/(up|rotate|leaving)|system\/knock)$/;

/**
 * Rows that a call made again may change: what is kept of the attempt, and of which list a node was handed, whoever
 * asked for it.
 */
const ofRecord = ({ pk, sk }: Key): boolean => /^(attempt|nonce|source|pool-source)#/.test(pk) || /^(systems$|list#)/.test(sk);

/** How a row of stations names the word that renewed a lease in it: by the id of the heartbeat, and this. */
const ofStation = '-station';

/** A call that is made again: which one, and since when. */
type Repeated = { readonly call: string; readonly at: EpochMs };

/** Who hears a call on its way has all that its caller had. */
export const captured: Invariant = {
  name: 'captured-calls-change-nothing',
  says: 'a signed call that is changed on its way is refused; one that was answered and is made again is refused where it is taken once, changes no row but the record of lists that were handed out, and what it reports changes its node, and the lease of its station, once at the most',
  begin: ({ kernel, world, violated }) => {
    const taken = new Set<string>();
    const answered = new Map<string, string>();
    const repeated = new Map<string, Repeated>();
    const effects = new Map<string, string>();
    const heardAt = new Map<string, EpochMs>();
    /** Reports that were decided upon, whatever came of it. */
    const decided = new Set<string>();
    const take = (name: string, call: Answered): void => {
      // Whoever is banned is told so, however often it knocks.
      if (call.status >= 300 || call.body === '3' || !takenOnce.test(`${call.method} ${call.path}`)) return;
      if (taken.has(name)) violated(`${call.method} ${call.path} was taken twice with the nonce and key ${name}`);
      taken.add(name);
    };
    const effect = (step: NodeStep): void => {
      // One that is made anew remembers nothing that was said of it before.
      if (!step.after) for (const name of effects.keys()) if (name.startsWith(`${step.id} `)) effects.delete(name);
      // A copy numbers its words as its original does.
      if (world().hosts.some(({ wasCloned }) => wasCloned)) return;
      const name = `${step.id} ${step.cause}`;
      const known = effects.get(name);
      // When a row wakes is no part of what it says, and which table of processes was taken in is noted apart.
      if (known !== undefined && saidBy(step.before) !== saidBy(step.after))
        violated(`${told(step)}; the same report had changed it before: ${known}`);
      if (step.after) effects.set(name, step.row.because);
      if (step.after && !heardAt.has(step.cause)) heardAt.set(step.cause, step.at);
    };
    // The message of a heartbeat that was answered may have died on its way to the node's row, or waits for another
    // attempt by a transient failure: whoever makes the call again is the first who says it.
    const isFirstWord = ({ key, by }: Row, { call, at: since }: Repeated): boolean => {
      if (key.sk === 'node') return call.endsWith('/heartbeat') && !decided.has(by);
      if (key.sk !== 'stations' || !by.endsWith(ofStation)) return false;
      const word = by.slice(0, -ofStation.length);
      return (heardAt.get(word) ?? since) >= since && !heardAt.has(by);
    };
    return {
      heedsMarks: true,
      logged: (_by, code, { id }) => {
        if (code === 'report.applied') decided.add(String(id));
      },
      committed: (changes) => {
        for (const { at, after } of changes) {
          const again = repeated.get(after.actor?.request ?? '');
          if (again !== undefined && !ofRecord(after.key) && !isFirstWord(after, again))
            violated(`${after.key.pk}|${after.key.sk} was changed by ${again.call}, which had been answered before`);
          if (after.key.sk === 'stations' && !heardAt.has(after.by)) heardAt.set(after.by, at);
        }
        for (const step of nodeSteps(changes)) effect(step);
      },
      again: ({ request, signed }) => {
        const call = signed && answered.get(nameOf(signed));
        if (call !== undefined) repeated.set(request, { call, at: kernel.now });
      },
      answered: (call) => {
        if (!call.signed) return;
        if (call.status < 300) answered.set(nameOf(call.signed), `${call.method} ${call.path}`);
        take(nameOf(call.signed), call);
      },
      repeated: (call) => {
        if (!call.signed) return;
        if (!call.isChanged) take(nameOf(call.signed), call);
        else if (call.status < 300)
          violated(`${call.method} ${call.path}${call.query && `?${call.query}`} was changed on its way and answered ${call.status}`);
      },
    };
  },
};

const saidBy = (node: NodeStep['before']): string => JSON.stringify(node && { ...node, table: undefined });

const nameOf = ({ keyId, nonce }: Signed): string => `${keyId}/${nonce}`;
