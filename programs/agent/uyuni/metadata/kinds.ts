import * as z from 'zod';
import { isSameJson } from '../../../../lib/core/json.ts';
import type { ServerApi, Values } from '../api/server-api.ts';
import {
  Channels,
  ConfigurationChannels,
  CustomValues,
  type Document,
  Formulas,
  Groups,
  inNormalForm,
  Notes,
  placeFields,
  Settings,
} from './documents.ts';
import {
  type Plan,
  planChannels,
  planConfigurationChannels,
  planCustomValues,
  planFormulas,
  planGroups,
  planNotes,
  planSettings,
} from './plans.ts';

/** The server refused to read something; the message is its own. */
export class ReadRefused extends Error {
  override readonly name = 'ReadRefused';
}

/** Reads from a server. Throws {@link ReadRefused}, and what its API throws. */
export type Ask = <T>(method: string, values: Values, answer: z.ZodType<T>) => Promise<T>;

/** Reads from a server by its API. */
export const askOf =
  (server: ServerApi): Ask =>
  async (method, values, answer) => {
    const answered = await server.reads(method, values, answer);
    if (!answered.ok) throw new ReadRefused(`${method}: ${answered.why}`);
    return answered.value;
  };

/** A kind of documents about a system: how it is read, and what it takes to have a system be as a document says. */
export type DocumentKind = {
  /** The document of a system now, in its normal form. */
  read(ask: Ask, sid: number): Promise<Document>;
  /** A document from Muster in its normal form; undefined for one of another form. */
  normal(document: unknown): Document | undefined;
  /** Whether it says no more than that a system has nothing of the kind. */
  isEmpty(document: unknown): boolean;
  /** What it takes; throws for a document of another form. */
  plan(ask: Ask, sid: number, document: unknown): Promise<Plan>;
};

function aKind<D extends object, K>(kind: {
  readonly schema: z.ZodType<D>;
  /** What is read of a system; the schema makes the document of it. */
  read(ask: Ask, sid: number): Promise<unknown>;
  /** What of the server decides whether the document can be applied. */
  survey?(ask: Ask, wanted: D, sid: number): Promise<K>;
  plan(sid: number, has: D, wanted: D, known: K | undefined): Plan;
  readonly empty?: D;
}): DocumentKind {
  const { schema, survey, empty } = kind;
  const read = async (ask: Ask, sid: number): Promise<D> => schema.parse(await kind.read(ask, sid));
  const normal = (document: unknown): Document | undefined => {
    const parsed = schema.safeParse(document);
    return parsed.success ? inNormalForm(parsed.data) : undefined;
  };
  return {
    read: async (ask, sid) => inNormalForm(await read(ask, sid)),
    normal,
    isEmpty: (document) => empty !== undefined && isSameJson(document, empty),
    plan: async (ask, sid, document) => {
      const wanted = schema.parse(document);
      return kind.plan(sid, await read(ask, sid), wanted, await survey?.(ask, wanted, sid));
    },
  };
}

const Labelled = z.array(z.object({ label: z.string() }));
const labels = async (ask: Ask, method: string, values: Values): Promise<string[]> =>
  (await ask(method, values, Labelled)).map(({ label }) => label);
const Texts = z.array(z.string());

const GroupsAnswer = z.array(z.object({ system_group_name: z.string(), subscribed: z.union([z.number(), z.boolean()]) }));
const NotesAnswer = z.array(z.object({ subject: z.string(), note: z.string().nullish() }));
/** A custom value that is empty may come as null. */
const ValuesAnswer = z.record(z.string(), z.string().nullish());
const text = z.string().nullish();
const DetailsAnswer = z.object({
  profile_name: text,
  description: text,
  lock_status: z.boolean().optional(),
  auto_update: z.boolean().optional(),
  contact_method: text,
  addon_entitlements: z.array(z.string()).optional(),
  ...{ address1: text, address2: text, city: text, state: text, country: text, building: text, room: text, rack: text },
});

/**
 * The subject of the note by which a server points to the history that it cannot hold. It is the agent's own, and so no
 * part of the documents.
 */
export const pointerSubject = 'Actions on other nodes';

/** The notes of a system, as the server lists them. */
export const notesOf = async (ask: Ask, sid: number) =>
  (await ask('system.listNotes', { sid }, NotesAnswer)).map(({ subject, note }) => ({ subject, text: note ?? '' }));

async function settingsOf(ask: Ask, sid: number): Promise<Settings> {
  const details = await ask('system.getDetails', { sid }, DetailsAnswer);
  return {
    ...(details.profile_name && { name: details.profile_name }),
    description: details.description ?? '',
    ...(details.lock_status !== undefined && { locked: details.lock_status }),
    ...(details.auto_update !== undefined && { autoErrataUpdate: details.auto_update }),
    ...(details.contact_method && { contactMethod: details.contact_method }),
    entitlements: details.addon_entitlements ?? [],
    place: Object.fromEntries(placeFields.flatMap((field) => (details[field] ? [[field, details[field]]] : []))),
  };
}

async function formulasOf(ask: Ask, sid: number): Promise<Formulas> {
  const names = await ask('formula.getFormulasByServerId', { sid }, Texts);
  const formulas: Record<string, Record<string, unknown>> = {};
  for (const formulaName of names) {
    const data = await ask('formula.getSystemFormulaData', { systemId: sid, formulaName }, z.record(z.string(), z.unknown()).nullable());
    formulas[formulaName] = data ?? {};
  }
  return formulas;
}

/** Every kind of documents that the agent reads and writes by the API, by its name in Muster, in order of writing. */
export const documentKinds: ReadonlyMap<string, DocumentKind> = new Map([
  [
    'channels',
    aKind({
      schema: Channels,
      read: async (ask, sid) => ({
        base: (await ask('system.getSubscribedBaseChannel', { sid }, z.object({ label: z.string().optional() }).nullable()))?.label ?? null,
        children: await labels(ask, 'system.listSubscribedChildChannels', { sid }),
      }),
      survey: async (ask, { base }) => {
        const hasBase = base !== null && (await ask('channel.software.isExisting', { channelLabel: base }, z.boolean()));
        return { hasBase, children: hasBase ? await labels(ask, 'channel.software.listChildren', { channelLabel: base }) : [] };
      },
      plan: (sid, has, wanted, known = { hasBase: false, children: [] }) => planChannels(sid, has, wanted, known),
      empty: { base: null, children: [] },
    }),
  ],
  [
    'groups',
    aKind({
      schema: Groups,
      read: async (ask, sid) =>
        (await ask('system.listGroups', { sid }, GroupsAnswer))
          .filter(({ subscribed }) => Boolean(subscribed))
          .map(({ system_group_name: name }) => name),
      survey: async (ask, _wanted, sid) =>
        (await ask('system.listGroups', { sid }, GroupsAnswer)).map(({ system_group_name: name }) => name),
      plan: (sid, has, wanted, known = []) => planGroups(sid, has, wanted, known),
      empty: [],
    }),
  ],
  [
    'custom-values',
    aKind({
      schema: CustomValues,
      read: async (ask, sid) =>
        Object.fromEntries(
          Object.entries(await ask('system.getCustomValues', { sid }, ValuesAnswer)).map(([label, value]) => [label, value ?? '']),
        ),
      survey: (ask) => labels(ask, 'system.custominfo.listAllKeys', {}),
      plan: (sid, has, wanted, known = []) => planCustomValues(sid, has, wanted, known),
      empty: {},
    }),
  ],
  [
    'configuration-channels',
    aKind({
      schema: ConfigurationChannels,
      read: (ask, sid) => labels(ask, 'system.config.listChannels', { sid }),
      survey: (ask) => labels(ask, 'configchannel.listGlobals', {}),
      plan: (sid, has, wanted, known = []) => planConfigurationChannels(sid, has, wanted, known),
      empty: [],
    }),
  ],
  [
    'formulas',
    aKind({
      schema: Formulas,
      read: formulasOf,
      survey: (ask) => ask('formula.listFormulas', {}, Texts),
      plan: (sid, has, wanted, known = []) => planFormulas(sid, has, wanted, known),
      empty: {},
    }),
  ],
  [
    'notes',
    aKind({
      schema: Notes,
      read: async (ask, sid) => (await notesOf(ask, sid)).filter(({ subject }) => subject !== pointerSubject),
      plan: planNotes,
      empty: [],
    }),
  ],
  // Last: what locks a system may keep others from changing it.
  ['settings', aKind({ schema: Settings, read: settingsOf, plan: planSettings })],
]);
