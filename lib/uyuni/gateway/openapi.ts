import { methods, type Signature } from '../api/methods.ts';
import { isOpen, jsonRoot } from './json-call.ts';
import { placeOf, routeOf } from './route.ts';
import { schemaOf } from './type-schemas.ts';

/** A part of a document that is written as JSON. */
export type Json = { readonly [name: string]: unknown };

const ref = (name: string): Json => ({ $ref: `#/components/responses/${name}` });
const text = (description: string): Json => ({ description, content: { 'application/json': { schema: { type: 'string' } } } });

/** What each method may answer. Servers say no more about a value than its method's documentation does. */
const responses = { '200': ref('answer'), '400': ref('noForm'), '401': ref('noSession'), '403': ref('notThere') };

/** The description of the JSON interface, as OpenAPI 3.1: each method of the table at its path. */
export const gatewayOpenApi = (): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Uyuni servers as one',
    version: '29',
    description:
      'The JSON interface of Uyuni, as muster-gateway answers it for one server or many. Each operation says where a call goes if there are several servers.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: jsonRoot.slice(0, -1) }],
  security: [{ session: [] }],
  paths: Object.fromEntries([...ofSessions, ...[...methods].filter(([name]) => !name.startsWith('auth.')).map(pathOf)]),
  components: {
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'pxt-session-cookie' } },
    responses: {
      answer: {
        description: 'The value of the method, or why there is none. Nodes that failed are in the header X-Muster-Failed.',
        headers: { 'X-Muster-Failed': { schema: { type: 'string' }, description: 'Servers that are missing in the answer, and why.' } },
        content: {
          'application/json': {
            schema: {
              oneOf: [
                {
                  type: 'object',
                  properties: { success: { const: true }, result: {} },
                  required: ['success'],
                  description: 'Without a result for methods that have none.',
                },
                {
                  type: 'object',
                  properties: { success: { const: false }, message: { type: 'string' } },
                  required: ['success', 'message'],
                },
              ],
            },
          },
        },
      },
      noForm: text('No form of the method has these names and values, or the call cannot be read.'),
      noSession: {
        description: 'There is no session, or none any more: sign in.',
        content: {
          'application/json': { schema: { type: 'object', properties: { success: { const: false }, message: { type: 'string' } } } },
        },
      },
      notThere: text('There is no such method, or this person may not call it.'),
    },
  },
});

const logout = (verb: string): Json => ({
  operationId: `auth.logout.${verb}`,
  tags: ['auth'],
  summary: 'Ends the session.',
  responses: { '200': ref('answer'), '401': ref('noSession') },
});

const ofSessions: readonly (readonly [string, Json])[] = [
  [
    '/auth/login',
    {
      post: {
        operationId: 'auth.login',
        tags: ['auth'],
        summary: 'Begins a session, whose key comes in a cookie.',
        security: [],
        requestBody: bodyOf([{ properties: { login: { type: 'string' }, password: { type: 'string' } }, required: ['login', 'password'] }]),
        responses: { '200': ref('answer'), '400': ref('noForm'), '401': ref('noSession') },
      },
    },
  ],
  ['/auth/logout', { get: logout('get'), post: logout('post') }],
];

function pathOf([name, forms]: readonly [string, readonly Signature[]]): readonly [string, Json] {
  const reading = forms.filter(({ reads }) => reads);
  const writing = forms.filter(({ reads }) => !reads);
  const operation = (own: readonly Signature[], verb: string): Json => ({
    operationId: name,
    tags: [name.slice(0, name.lastIndexOf('.'))],
    summary: [...new Set(own.map((form) => placeOf(routeOf(name, form))))].join('; '),
    ...(isOpen(name) && { security: [] }),
    ...(verb === 'get' ? parametersOf(own) : { requestBody: bodyOf(own.map(objectOf)) }),
    responses,
  });
  return [
    `/${name.replaceAll('.', '/')}`,
    { ...(reading.length > 0 && { get: operation(reading, 'get') }), ...(writing.length > 0 && { post: operation(writing, 'post') }) },
  ];
}

/** Parameters in the query: required are those that all forms have. */
function parametersOf(forms: readonly Signature[]): Json {
  const schemas = new Map(forms.flatMap(({ jsonNames, params }) => jsonNames.map((name, n) => [name, schemaOf(params[n]?.type ?? '')])));
  const parameters = [...schemas].map(([name, schema]) => ({
    ...{ name, in: 'query', required: forms.every(({ jsonNames }) => jsonNames.includes(name)) },
    schema,
  }));
  return parameters.length === 0 ? {} : { parameters };
}

type ObjectSchema = { readonly properties: Json; readonly required: readonly string[] };

const objectOf = ({ jsonNames, params }: Signature): ObjectSchema => ({
  properties: Object.fromEntries(jsonNames.map((name, n) => [name, schemaOf(params[n]?.type ?? '')])),
  required: jsonNames,
});

function bodyOf(forms: readonly ObjectSchema[]): Json {
  const schemas = forms.map((form) => ({ type: 'object', ...form, additionalProperties: false }));
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return { required: forms.every(({ required }) => required.length > 0), content: { 'application/json': { schema } } };
}
