import { services, type Service } from '../../contracts/index.ts';
import { documentPaths, openApiOf } from '../openapi/document.ts';
import { escapeHtml as e, escapeParts } from '../../text/html.ts';
import { plainPage } from './plain-page.ts';

type Schema = { type?: string | string[]; format?: string; enum?: unknown[]; anyOf?: Schema[]; items?: Schema; $ref?: string };
type Parameter = { name: string; in: string; required: boolean; schema?: Schema };
type Body = { content: Record<string, { schema?: { properties?: Record<string, Schema>; required?: string[] } }> };
type Described = {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  parameters: Parameter[];
  requestBody?: Body;
  responses: Record<string, { description: string }>;
};

const typeOf = ({ type, format, enum: values, anyOf, items, $ref }: Schema = {}): string => {
  if ($ref) return $ref.split('/').at(-1)!;
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  return [String(type ?? 'any'), ...(format ? [`(${format})`] : [])].join(' ');
};

const fieldLine = (name: string, place: string, required: boolean, schema?: Schema): string =>
  `<tr><td><b>${e(name)}</b>${required ? ' *' : ''}</td><td class="quiet">${e(place)}</td><td>${e(typeOf(schema))}</td></tr>`;

const fieldsOf = ({ parameters, requestBody }: Described): string => {
  const [type, { schema } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const inBody = Object.entries(schema?.properties ?? {}).map(([name, each]) =>
    fieldLine(name, type ?? '', schema?.required?.includes(name) ?? false, each),
  );
  const lines = [...parameters.map((each) => fieldLine(each.name, each.in, each.required, each.schema)), ...inBody];
  if (lines.length > 0) return `<div class="scroll"><table><tbody>${lines.join('\n')}</tbody></table></div>`;
  return type === undefined ? '' : `<p class="quiet">The body is ${e(type)}.</p>`;
};

const operation = (path: string, method: string, described: Described): string => {
  const answers = Object.entries(described.responses).map(([status, { description }]) => `<li><b>${e(status)}</b> ${e(description)}</li>`);
  return `<details id="${e(described.operationId)}"><summary><b>${e(method.toUpperCase())}</b> ${escapeParts(path)} <span class="quiet">${e(described.summary)}${
    described.deprecated ? ' (deprecated)' : ''
  }</span></summary>
<p class="quiet">${e(described.operationId)}. ${e(described.description.replaceAll('\n\n', ' '))}</p>${fieldsOf(described)}<ul>${answers.join('')}</ul></details>`;
};

/** What an API takes and answers, operation by operation, from the same document that is served as JSON. */
export const referencePage = (service: Service): Response => {
  const { info, paths } = openApiOf(service);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operation(path, method, described as Described)),
  );
  return plainPage({
    title: `${info.title} · reference`,
    body: `<h1>${e(info.title)} ${e(info.version)}</h1>
<p class="quiet">The ${e(services[service].title)}, ${all.length} addresses. As OpenAPI 3.1: <a href="${documentPaths[service]}">${documentPaths[service]}</a>. * is required.</p>
${all.join('\n')}`,
  });
};
