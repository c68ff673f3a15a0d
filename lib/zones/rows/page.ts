import * as z from 'zod';

/** What may stand in braces in the template of a page, and where its value comes from. */
const placeholders = {
  /** The fully qualified name of the node, and its id. */
  name: 'node',
  id: 'node',
  /** The fully qualified name of the client system, its fingerprint, its Salt minion's id, and its fact `sid`. */
  system: 'system',
  fp: 'system',
  minion: 'system',
  sid: 'system',
} as const;
type Placeholder = keyof typeof placeholders;

/** The values that fill a template; a client system may lack some. */
export type PageValues = { readonly [name in Placeholder]?: string | undefined };

/** The longest template: nodes that have one of their own have it in their row. */
const lengthMax = 200;
const inBraces = (): RegExp => /\{([^{}]*)\}/g;
const loopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/;

const isPlaceholder = (name: string): name is Placeholder => Object.hasOwn(placeholders, name);

/** The template with values for what is in braces, each encoded; undefined where one is missing. */
function filled(template: string, given: (name: Placeholder) => string | undefined): string | undefined {
  let isWhole = true;
  const text = template.replace(inBraces(), (_braces, name: string) => {
    const value = isPlaceholder(name) ? given(name) : undefined;
    if (value === undefined) isWhole = false;
    return encodeURIComponent(value ?? '');
  });
  return isWhole ? text : undefined;
}

/** What is wrong with the template of a page; undefined for a good one. */
function faultOf(template: string): string | undefined {
  const unknown = [...template.matchAll(inBraces())].map(([, name = '']) => name).find((name) => !isPlaceholder(name));
  if (unknown !== undefined)
    return `there is no {${unknown}}; there are ${Object.keys(placeholders)
      .map((name) => `{${name}}`)
      .join(', ')}`;
  const url = URL.parse(filled(template, (name) => `${name}-1`) ?? '');
  if (!url || template.replace(inBraces(), '').match(/[{}\s\\]/)) return 'it is no address';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.test(url.hostname)))
    return 'it must be https, or http on loopback';
  if (url.username !== '' || url.password !== '') return 'it must have no user and no password';
  const other = URL.parse(filled(template, (name) => (placeholders[name] === 'node' ? `${name}-1` : `${name}-2`)) ?? '');
  return other?.origin === url.origin ? undefined : 'the host and the port of a page must not come from a client system';
}

/**
 * The template of the page of a node, such as `https://{name}/rhn/systems/details/Overview.do?sid={sid}`: an https
 * address, or http on loopback, of at most 200 characters. `{name}` and `{id}` are of the node; `{system}`, `{fp}`,
 * `{minion}` and `{sid}` are of a client system, and must not be in the host.
 */
export const PageTemplate = z
  .string()
  .max(lengthMax)
  .superRefine((template, context) => {
    const fault = faultOf(template);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/**
 * The page of a client system on its node: undefined if the template asks for a value that it lacks. Of a node alone it
 * is the page, or the root of its host if the page is one of a client system.
 */
export function pageOf(template: string, values: PageValues): string | undefined {
  const page = filled(template, (name) => values[name]);
  if (page !== undefined || values.fp !== undefined) return page;
  const ofSystem = URL.parse(filled(template, (name) => values[name] ?? '-') ?? '');
  return ofSystem ? `${ofSystem.origin}/` : undefined;
}
