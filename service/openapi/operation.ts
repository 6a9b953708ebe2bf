import { sayDeprecated } from '../../contracts/deprecated.ts';
import { pathFields, takesFiles, type Endpoint } from '../../contracts/endpoint.ts';
import type { Service } from '../../contracts/index.ts';
import { notesOf } from '../../contracts/notes.ts';
import type { QueryType } from '../../contracts/query.ts';
import type { Address } from '../http/addresses.ts';
import { errorContent } from './errors.ts';
import { fieldsOf, holdsFile, inputOf, withoutNull } from './schemas.ts';
import type { JsonSchema } from './schemas.ts';
import { securityOf } from './security.ts';
import { refusalsOf } from './statuses.ts';

const octets = 'application/octet-stream';
const json = 'application/json';
const multipart = 'multipart/form-data';
const urlencoded = 'application/x-www-form-urlencoded';

/** The content types of a body. */
const forms = { json: [json], multipart: [multipart], urlencoded: [urlencoded], form: [multipart, urlencoded] } as const;

/** How a parameter of the query is written. */
const written: Readonly<Record<QueryType, object>> = {
  text: {},
  number: {},
  boolean: {},
  list: { style: 'form', explode: true },
  commas: { style: 'form', explode: false },
  json: {},
};

const parameter = (place: 'path' | 'query', name: string, required: boolean, schema: JsonSchema, type: QueryType = 'text'): object => ({
  name,
  in: place,
  required,
  ...written[type],
  ...(type === 'json' ? { content: { [json]: { schema } } } : { schema }),
});

const requestOf = (endpoint: Endpoint, fields: ReturnType<typeof fieldsOf>, apart: ReadonlySet<string>): object => {
  const kind = endpoint.body ?? 'json';
  if (kind === 'bytes' || kind === 'stream') return { requestBody: { required: true, content: { [octets]: {} } } };
  if (endpoint.wholeBody !== undefined)
    return { requestBody: { required: true, content: { [json]: { schema: fields.properties[endpoint.wholeBody] ?? {} } } } };
  const properties = Object.fromEntries(Object.entries(fields.properties).filter(([name]) => !apart.has(name)));
  const required = fields.required.filter((name) => !apart.has(name));
  if (endpoint.wholeBody !== undefined)
    return { requestBody: { required: true, content: { [json]: { schema: properties[endpoint.wholeBody] } } } };
  if (Object.keys(properties).length === 0) return {};
  const schemaFor = (type: string): object => ({
    type: 'object',
    // A file has no place in an urlencoded form.
    properties: type === urlencoded ? Object.fromEntries(Object.entries(properties).filter(([, field]) => !holdsFile(field))) : properties,
    required,
    additionalProperties: fields.additionalProperties,
  });
  const content = Object.fromEntries(forms[kind].map((type) => [type, { schema: schemaFor(type) }]));
  return { requestBody: { required: required.length > 0, content } };
};

const answerOf = ({ answer = 'json', envelope, output }: Endpoint): object => {
  if (answer === 'nothing') return {};
  const made = inputOf(output);
  const schema = envelope === undefined ? made : { type: 'object', properties: { [envelope]: made }, required: [envelope] };
  const asJson = { [json]: { schema } };
  const asBytes = { [octets]: {} };
  return { content: { json: asJson, bytes: asBytes, stream: asBytes, 'json or bytes': { ...asJson, ...asBytes } }[answer] };
};

/** One address of an operation as OpenAPI describes it. `id` is its own. */
export const operationOf = (
  service: Service,
  endpoint: Endpoint,
  { method, path, operation, query, deprecated }: Address,
  id: string,
): object => {
  const fields = fieldsOf(endpoint.input, takesFiles(endpoint));
  const inPath = pathFields(path);
  const inQuery = Object.entries(query);
  const apart = new Set([...inPath, ...inQuery.map(([, { field }]) => field)]);
  const schemaOf = (field: string): JsonSchema => withoutNull(fields.properties[field] ?? {});
  const notes = path === endpoint.path || deprecated === undefined ? notesOf(endpoint) : [sayDeprecated(deprecated), ...notesOf(endpoint)];
  const refusals = [...refusalsOf(endpoint, service)].map(([status, says]) => [
    status,
    { description: says.join('; '), content: errorContent(service, status, operation) },
  ]);
  return {
    operationId: id,
    tags: [operation.split('.')[1]],
    summary: endpoint.summary,
    description: [`Effect class: ${endpoint.effect}. Limit class: ${endpoint.limit}.`, ...notes].join('\n\n'),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...securityOf(service, endpoint, operation),
    parameters: [
      ...inPath.map((name) => parameter('path', name, true, schemaOf(name))),
      ...inQuery.map(([name, { type, field }]) => parameter('query', name, fields.required.includes(field), schemaOf(field), type)),
    ],
    ...(method === 'GET' ? {} : requestOf(endpoint, fields, apart)),
    responses: {
      [endpoint.status]: { description: 'done', ...(endpoint.status === 204 ? {} : answerOf(endpoint)) },
      ...Object.fromEntries(refusals),
    },
  };
};
