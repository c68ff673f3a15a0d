import { unreachable } from '../../core/time.ts';
import { readsByName, readsUnmarked } from '../api/common-writes.ts';
import type { Signature } from '../api/methods.ts';
import { counts, numberOf } from './numbers.ts';

/**
 * Where a call goes where there are several servers. `any`: to one of them. `all`: to each, and the answers become one.
 * `home`: to the server of its system. `split`: to the servers of its systems; their answers are lists that become one,
 * or each reports that it has done it, or all have scheduled a part of one action. `actions`: to the servers of its
 * actions. `seat`: to the server on which common content is edited.
 */
export type Route =
  | { readonly to: 'gateway' | 'any' | 'all' | 'home' | 'seat' }
  | { readonly to: 'actions'; readonly gives: 'answers' | 'done' }
  | { readonly to: 'split'; readonly gives: 'lists' | 'done' | 'one-action' }
  | { readonly to: 'refused'; readonly why: string };

/** Where calls go, in words. */
export const places: Readonly<Record<Exclude<Route['to'], 'refused'>, string>> = {
  gateway: 'answered by the gateway',
  any: 'any server',
  all: 'all servers, answers merged',
  home: 'the server of its system',
  split: 'the servers of its systems',
  actions: 'the servers of its actions',
  seat: 'the seat, if one is named; else refused',
};

/** Where a call goes, in words. */
export const placeOf = (route: Route): string => (route.to === 'refused' ? `refused: ${route.why}` : places[route.to]);

/** Why calls are refused where there are several servers. Each is a sentence without its full stop. */
export const refusals = {
  contentNumbers: 'it takes a number of common content, such as of a package, and each server counts its own',
  chains: 'an action chain lives on one server, and its label does not say on which',
  placement: 'Muster itself decides which server a system is on: onboard the system by Muster',
  names: 'it names a system by its name or minion id: name it by its number',
  certificate: 'a system’s certificate does not say which server the system is on',
  numbersOfServers: 'it takes a number that only one server knows, without the system that it belongs to',
  selection: 'the selection of systems that a person has made is kept by each server for itself',
  unknownMethod: 'it is a method that Muster does not know, and it may write, or several servers would answer it differently',
  oneAction:
    'its systems live on several servers, and it gives the number of one action, which Muster does not give here: call it for the systems of one server at a time',
  severalHomes: 'its systems live on several servers',
  severalZones: 'it changes common content, and the servers are of several zones, each of which has its own: name one by --zone',
  noSeat: 'it changes common content, and no server is named on which that is edited: call that server itself, or set --seat',
} as const;

/** Why a server refuses a change of common content while that is edited on another one. */
export const editedElsewhere = (seat: string): string => `it changes common content, which is edited on ${seat} alone`;

const refused = (why: string): Route => ({ to: 'refused', why });

/** Split calls that answer 1 when they have succeeded. */
const giveDone: ReadonlySet<string> = new Set([
  ...['proxy.backupConfiguration', 'system.deleteSystems', 'systemgroup.addOrRemoveSystems'],
  ...['system.config.addChannels', 'system.config.deployAll', 'system.config.removeChannels', 'system.config.setChannels'],
]);
/** Split calls that answer with the number of one action for all systems. */
const giveOneAction: ReadonlySet<string> = new Set([
  ...['configchannel.scheduleFileComparisons', 'system.scheduleApplyHighstate', 'system.scheduleApplyStates'],
  ...['system.schedulePackageUpdate', 'system.scheduleScriptRun', 'system.config.scheduleApplyConfigChannel'],
  ...['system.scap.scheduleBetaXccdfScanCustom', 'system.scap.scheduleBetaXccdfScanWithPolicy', 'system.scap.scheduleXccdfScan'],
]);

/** Where a form of a method goes where there are several servers. */
export function routeOf(name: string, form: Signature): Route {
  const { routing } = form;
  if (routing === 'GW') return { to: name.startsWith('auth.') ? 'gateway' : 'any' };
  if (routing === 'PL') return refused(refusals.placement);
  if (routing === 'AC') return refused(refusals.chains);
  if (routing === 'FW') return refused(refusals.selection);
  if (routing === 'A1' || routing === 'AN') return { to: 'actions', gives: routing === 'AN' ? 'done' : 'answers' };
  if (counts(form, 'action') && routing !== 'R1') return refused(refusals.numbersOfServers);
  if (counts(form, 'content')) return refused(refusals.contentNumbers);
  switch (routing) {
    case 'FM':
      return { to: 'all' };
    case 'CR':
      return { to: 'any' };
    case 'CW':
      return common(name, form);
    case 'R1':
    case 'XS':
      return { to: 'home' };
    case 'RN':
      return split(name, form);
    case 'RC':
    case 'NR':
    case 'M1':
    case 'NL':
      return bySystem(form);
    default:
      return unreachable(routing);
  }
}

function common(name: string, form: Signature): Route {
  if (counts(form, 'system') || counts(form, 'of-system')) return refused(refusals.numbersOfServers);
  return { to: readsUnmarked.includes(name) ? 'any' : 'seat' };
}

function split(name: string, form: Signature): Route {
  const hasList = form.params.some((param) => numberOf(param) === 'system' && param.type.startsWith('array<'));
  if (!hasList) return { to: 'home' };
  return { to: 'split', gives: giveDone.has(name) ? 'done' : giveOneAction.has(name) ? 'one-action' : 'lists' };
}

/** Methods with forms that name their system in other ways. */
function bySystem(form: Signature): Route {
  if (form.auth === 'clientcert') return refused(refusals.certificate);
  if (counts(form, 'system')) return { to: 'home' };
  return refused(form.routing === 'NL' ? refusals.numbersOfServers : refusals.names);
}

/** Namespaces whose methods answer about systems and actions: each server about its own. */
const ofServers = /^(system|systemgroup|schedule|actionchain|saltkey|proxy|audit)\b/;

/** Where a method goes that the table does not have. `hasNumbers`: there is more in its arguments than texts. */
export const routeOfUnknown = (name: string, hasNumbers: boolean): Route =>
  readsByName(name) && !ofServers.test(name) && !hasNumbers ? { to: 'any' } : refused(refusals.unknownMethod);
