import type { Verb } from '../cli.ts';
import { api } from './api.ts';
import { exportAudit } from './audit/export.ts';
import { ls as auditLs } from './audit/ls.ts';
import { verify as auditVerify } from './audit/verify.ts';
import { bash } from './completion/bash.ts';
import { fish } from './completion/fish.ts';
import { zsh } from './completion/zsh.ts';
import {
  apply as contentApply,
  diff as contentDiff,
  log as contentLog,
  resume as contentResume,
  rollback as contentRollback,
} from './content/revisions.ts';
import {
  edit as contentEdit,
  end as contentEnd,
  finish as contentFinish,
  status as contentStatus,
  synced as contentSynced,
} from './content/verbs.ts';
import { create as contextCreate, deleteContext as contextDelete, list as contextList, use as contextUse } from './context/verbs.ts';
import { cost } from './cost.ts';
import { drop as letterDrop } from './dlq/drop.ts';
import { ls } from './dlq/ls.ts';
import { redrive } from './dlq/redrive.ts';
import { show as letterShow } from './dlq/show.ts';
import { events } from './events.ts';
import { explain } from './explain.ts';
import { exportAll } from './export.ts';
import { convert as factsConvert } from './facts/convert.ts';
import { expand as factsExpand } from './facts/expand.ts';
import { schema as factsSchema } from './facts/schema.ts';
import { validate as factsValidate } from './facts/validate.ts';
import { find } from './find.ts';
import { exportGraph } from './graph/export.ts';
import { path as graphPath } from './graph/path.ts';
import { show as graphShow } from './graph/show.ts';
import { halonService } from './halon/service/service.ts';
import { station as halonStation } from './halon/station.ts';
import { history } from './history.ts';
import { importAll } from './import.ts';
import { list as subjectList } from './issuer-subject/list.ts';
import { lock as subjectLock, unlock as subjectUnlock } from './issuer-subject/lock.ts';
import { create as apiKeyCreate } from './key/create.ts';
import { list as apiKeyList } from './key/list.ts';
import { revoke as apiKeyRevoke } from './key/revoke.ts';
import { list as keyList } from './keys/list.ts';
import { rotate } from './keys/rotate.ts';
import { loadtest } from './loadtest.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { bootstrap as meroBootstrap } from './mero/bootstrap.ts';
import { dump as meroDump } from './mero/dump.ts';
import { load as meroLoad } from './mero/load.ts';
import { halonNouns, meroNouns } from './mero/nouns.ts';
import { reset as meroReset } from './mero/reset.ts';
import { start as meroStart } from './mero/start.ts';
import { status as meroStatus } from './mero/status.ts';
import { stop as meroStop } from './mero/stop.ts';
import { sync as meroSync } from './mero/sync.ts';
import { update as meroUpdate } from './mero/update.ts';
import { get as varsGet } from './mero/vars/get.ts';
import { set as varsSet } from './mero/vars/set.ts';
import { admit } from './node/admit.ts';
import { adopt } from './node/adopt.ts';
import { drop } from './node/drop.ts';
import { leave } from './node/leave.ts';
import { list as nodeList } from './node/list.ts';
import { pool } from './node/pool.ts';
import { reject } from './node/reject.ts';
import { remove } from './node/remove.ts';
import { replace } from './node/replace.ts';
import { add as ruleAdd } from './node/rule/add.ts';
import { deleteRule } from './node/rule/delete.ts';
import { list as ruleList } from './node/rule/list.ts';
import { set as nodeSet } from './node/set.ts';
import { show as nodeShow } from './node/show.ts';
import { create as nodeTokenCreate } from './node/token/create.ts';
import { list as nodeTokenList } from './node/token/list.ts';
import { revoke as nodeTokenRevoke } from './node/token/revoke.ts';
import { list as onboardingList } from './onboarding/list.ts';
import { refused as onboardingRefused } from './onboarding/refused.ts';
import { create as onboardingTokenCreate } from './onboarding/token/create.ts';
import { list as onboardingTokenList } from './onboarding/token/list.ts';
import { revoke as onboardingTokenRevoke } from './onboarding/token/revoke.ts';
import { service } from './service/nouns.ts';
import { set } from './settings/set.ts';
import { show as settingsShow } from './settings/show.ts';
import { status } from './status.ts';
import { accept } from './system/accept.ts';
import { cancel as actCancel } from './system/act/cancel.ts';
import { show as actShow } from './system/act/show.ts';
import {
  command as actCommand,
  errata as actErrata,
  highstate as actHighstate,
  packages as actPackages,
  reboot as actReboot,
} from './system/act/verbs.ts';
import { ban } from './system/ban.ts';
import { find as systemFind } from './system/find.ts';
import { list as systemList } from './system/list.ts';
import { append as metadataAppend } from './system/metadata/append.ts';
import { get as metadataGet } from './system/metadata/get.ts';
import { ls as metadataLs } from './system/metadata/ls.ts';
import { put as metadataPut } from './system/metadata/put.ts';
import { rm as metadataRm } from './system/metadata/rm.ts';
import { pin } from './system/pin.ts';
import { replace as systemReplace } from './system/replace.ts';
import { settle } from './system/settle.ts';
import { show as systemShow } from './system/show.ts';
import { tag as systemTag } from './system/tag.ts';
import { unpin } from './system/unpin.ts';
import { unregister } from './system/unregister.ts';
import { version } from './version.ts';
import { add as webhookAdd } from './webhook/add.ts';
import { deliveries } from './webhook/deliveries.ts';
import { enable as webhookEnable } from './webhook/enable.ts';
import { list as webhookList } from './webhook/list.ts';
import { remove as webhookRemove } from './webhook/remove.ts';
import { replay } from './webhook/replay.ts';
import { rotate as webhookRotate } from './webhook/rotate.ts';
import { test as webhookTest } from './webhook/test.ts';
import { whoami } from './whoami.ts';
import { calm } from './zone/calm.ts';
import { create as zoneCreate } from './zone/create.ts';
import { deleteZone } from './zone/delete.ts';
import { freeze } from './zone/freeze.ts';
import { list as zoneList } from './zone/list.ts';
import { preview as zonePreview } from './zone/preview.ts';
import { set as zoneSet } from './zone/set.ts';
import { show as zoneShow } from './zone/show.ts';
import { unfreeze } from './zone/unfreeze.ts';

/**
 * A noun of the command line: its purpose, its verbs, and the nouns that belong to it; `alias` is its name in the
 * original.
 */
export type Noun = { readonly name: string; readonly alias?: string; readonly does: string; readonly verbs: readonly (Verb | Noun)[] };

/** A group of nouns and verbs, as the help of the program names them together. */
export type Group = { readonly title: string; readonly parts: readonly (Noun | Verb)[] };

/**
 * Everything the command line can do, in groups and in the order the help names it: nouns with their verbs, and verbs
 * that stand alone.
 */
export const tree: readonly Group[] = [
  {
    title: 'Inspect:',
    parts: [
      status,
      find,
      explain,
      history,
      events,
      {
        name: 'graph',
        does: 'The resource graph: the things of a zone, and how they depend on each other',
        verbs: [graphShow, graphPath, exportGraph],
      },
    ],
  },
  {
    title: 'Management clusters:',
    parts: [
      {
        name: 'node',
        does: 'Nodes: the hosts that client systems live on',
        verbs: [
          ...[nodeList, nodeShow, nodeSet, adopt, leave, drop, replace, remove, pool, admit, reject],
          {
            name: 'token',
            does: 'Join tokens: secrets that let hosts become nodes',
            verbs: [nodeTokenCreate, nodeTokenList, nodeTokenRevoke],
          },
          {
            name: 'rule',
            does: 'Admission rules: conditions that let hosts become nodes without a token',
            verbs: [ruleAdd, ruleList, deleteRule],
          },
        ],
      },
      {
        name: 'system',
        does: 'Client systems: the machines that nodes manage',
        verbs: [
          ...[systemList, systemFind, systemShow, accept, systemReplace, systemTag, pin, unpin, settle, unregister, ban],
          {
            name: 'act',
            does: 'Actions: what Uyuni servers do with client systems on an order, as one action with one number',
            verbs: [actHighstate, actPackages, actErrata, actReboot, actCommand, actShow, actCancel],
          },
          {
            name: 'metadata',
            does: 'Metadata: documents about a client system that outlive its node',
            verbs: [metadataLs, metadataGet, metadataPut, metadataAppend, metadataRm],
          },
        ],
      },
      {
        name: 'onboarding',
        does: 'The onboarding pool: machines that wait to be accepted',
        verbs: [
          onboardingList,
          onboardingRefused,
          {
            name: 'token',
            does: 'Onboarding tokens: secrets that have machines accepted at their first knock',
            verbs: [onboardingTokenCreate, onboardingTokenList, onboardingTokenRevoke],
          },
        ],
      },
      {
        name: 'content',
        does: 'Common content of Uyuni servers: edited on one of them at a time, and the same on all',
        verbs: [
          ...[contentStatus, contentEdit, contentFinish, contentEnd, contentSynced],
          ...[contentApply, contentLog, contentDiff, contentRollback, contentResume],
        ],
      },
      {
        name: 'zone',
        does: 'Zones: nodes and client systems that belong together',
        verbs: [zoneCreate, zoneList, zoneShow, zoneSet, zonePreview, deleteZone, calm, freeze, unfreeze],
      },
    ],
  },
  {
    title: 'Storage clusters:',
    parts: [
      {
        name: 'mero',
        does: 'Storage clusters: the hosts, processes and devices of a storage zone',
        verbs: [
          ...[meroBootstrap, meroStatus, meroStart, meroStop, meroReset, meroUpdate],
          ...[meroLoad, meroDump, meroSync],
          ...[meroNouns.node, meroNouns.process, meroNouns.role],
          { name: 'vars', does: 'Variables of a storage cluster, under the names that Halon uses', verbs: [varsGet, varsSet] },
        ],
      },
      {
        name: 'halon',
        does: 'Hosts of a storage zone: their roles, services and stations',
        verbs: [halonNouns.node, halonNouns.role, halonNouns.debug, halonService, halonStation],
      },
      {
        name: 'facts',
        does: 'Facts files, which describe storage clusters. These commands read files and call nothing',
        verbs: [factsValidate, factsConvert, factsExpand, factsSchema],
      },
    ],
  },
  { title: 'Services:', parts: [service] },
  {
    title: 'Messages and events:',
    parts: [
      {
        name: 'dlq',
        does: 'Dead letters: messages that could not be processed, with the reason',
        verbs: [ls, letterShow, redrive, letterDrop],
      },
      {
        name: 'webhook',
        does: 'Webhooks: addresses to which events are delivered',
        verbs: [webhookAdd, webhookList, webhookTest, deliveries, replay, webhookRotate, webhookEnable, webhookRemove],
      },
    ],
  },
  {
    title: 'People and programs:',
    parts: [
      login,
      logout,
      whoami,
      { name: 'key', does: 'API keys: the credentials of programs', verbs: [apiKeyCreate, apiKeyList, apiKeyRevoke] },
      { name: 'subject', does: 'Subjects: people of the issuer whom you can lock out', verbs: [subjectLock, subjectUnlock, subjectList] },
      {
        name: 'audit',
        does: 'The audit: what people and automation did or tried, and whether the record is intact',
        verbs: [auditLs, auditVerify, exportAudit],
      },
    ],
  },
  {
    title: 'The deployment:',
    parts: [
      { name: 'settings', does: 'Settings of the deployment', verbs: [settingsShow, set] },
      { name: 'keys', does: 'Keys that sign membership tokens', verbs: [keyList, rotate] },
      cost,
      loadtest,
      exportAll,
      importAll,
    ],
  },
  {
    title: 'This program:',
    parts: [
      {
        name: 'context',
        does: 'Contexts: deployments under names of your own',
        verbs: [contextList, contextCreate, contextUse, contextDelete],
      },
      api,
      version,
      { name: 'completion', does: 'Completion scripts for shells', verbs: [bash, zsh, fish] },
    ],
  },
];
