import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames, type Service } from '../../contracts/index.ts';
import { documentPaths, type OpenApi } from '../../service/openapi/document.ts';
import { startService, type Running } from '../service/running.ts';
import { createMap, unlimited } from '../service/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { fuzz, installSchemathesis, inTwo, withKnown, type Fuzzed, type Known } from './support-fuzz.ts';
import { prepareInstance } from './support-fuzz-instance.ts';

/** Ids of what stands ready in the maps API. */
async function prepareMaps({ api, organization }: Running): Promise<Known> {
  const { project_id, map, job } = await createMap({ api, organization }, 60);
  const { index_id } = (await api.get(`/v1/project/index/job/${job}`)).body;
  const { slug } = (await api.get(`/v1/project/${project_id}`)).body;
  const tag = await api.post('/v1/project/projection/tags/create', {
    project_id,
    projection_id: map,
    tag_name: 'ready',
    tag_definition_id: 'ready',
    dsl_rule: '{"method":"composition","conjunctor":"ALL","filters":[]}',
  });
  const ids = ['row-1', 'row-2', 'row-59'];
  return {
    organization_id: [organization.organization_id],
    organization_id_or_slug: [organization.slug],
    organization_slug: [organization.slug],
    project_slug: [slug],
    project_id: [project_id],
    dataset_id: [project_id],
    projection_id: [map],
    map_id: [map],
    atlas_index_id: [index_id],
    index_id: [index_id],
    job_id: [job],
    tag_id: [tag.body.tag_id],
    datum_ids: ids,
    atom_ids: ids,
    ids,
    id_field: ['id'],
    field: ['text', 'year'],
    fields: ['id', 'text', 'when'],
    columns: ['id', 'text', 'when'],
    indexed_field: ['text', null],
    model: ['svc-embed-text-v1', null],
    projection: ['SvcProject'],
    qids: ['0-0', '0-7', '0-59'],
    z: ['0'],
    x: ['0'],
    file: ['0.feather', '0.datum_id.feather', '0.text.feather'],
    k: [1, 3],
  };
}

const documentOf = async ({ api }: Running, service: Service): Promise<OpenApi> => (await api.get(documentPaths[service])).body as OpenApi;

/** The statuses that the control leaves out. */
const without = (document: OpenApi, path: string, method: string, status: string): OpenApi => {
  const { responses, ...operation } = document.paths[path]![method] as { responses: Record<string, unknown> };
  const { [status]: _, ...left } = responses;
  return { ...document, paths: { [path]: { [method]: { ...operation, responses: left } } } };
};

const shown = ({ failures }: Fuzzed): string =>
  failures.map(({ title, operations }) => `${title}: ${JSON.stringify(operations).slice(0, 300)}`).join('; ') || 'none';

/** Failures of the service itself that a document declares: nothing but what an instance may be without. */
const declaredFailures = ({ paths }: OpenApi): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.keys((operation as { responses: object }).responses)
        .filter((status) => Number(status) >= 500)
        .map((status) => `${status} of ${method.toUpperCase()} ${path}`),
    ),
  );

const linesOf = (service: Service, addresses: number, parts: readonly Fuzzed[]): Line[] => {
  const sum = (of: (part: Fuzzed) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const tested = sum(({ operations }) => operations.tested);
  const errored = sum(({ test_cases }) => test_cases.errored);
  return [
    line(
      `${service}: addresses tried, of the document`,
      `${tested} of ${addresses}`,
      'all',
      tested === addresses && parts.every(({ complete }) => complete),
    ),
    line(
      `${service}: requests, of them without an answer`,
      `${sum(({ test_cases }) => test_cases.generated)}, ${errored}`,
      '0 without',
      errored === 0,
    ),
    line(
      `${service}: 5xx, undeclared statuses, answers outside their schema`,
      parts
        .map(shown)
        .filter((each) => each !== 'none')
        .join('; ') || 'none',
      'none',
      parts.every(({ failures }) => failures.length === 0),
    ),
  ];
};

/** Operations that have succeeded, and requests whose key was none any more: these show nothing. */
async function withKeyLine({ api }: Running, service: Service): Promise<Line> {
  const { rows } = (await api.get('/__control/requests')).body as { rows: { operation: string; status: number }[] };
  const own = rows.filter(({ operation }) => operation.startsWith(`${service}.`));
  const refused = own.filter(({ status }) => status === 401).length;
  const succeeded = new Set(own.filter(({ status }) => status > 0 && status < 300).map(({ operation }) => operation)).size;
  return line(
    `${service}: requests with a key, and operations that have succeeded`,
    `${own.length - refused} of ${own.length}, ${succeeded}`,
    '≥ 90 % with a key',
    refused < own.length / 10,
  );
}

export const proof: Proof = {
  name: 'fuzz',
  sets: ['maps', 'agents'],
  what: 'every address of both APIs under what its OpenAPI document allows and does not, by schemathesis: no 5xx, no undeclared status, no answer outside its schema',
  async run({ note, short, only }) {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-fuzz-'));
    const data = join(folder, 'data');
    await mkdir(data);
    const service = await startService(data);
    try {
      const command = await installSchemathesis(folder);
      const { url, adminKeys } = service.ready;
      const examples = short ? 15 : 200;
      const lines: Line[] = [];
      const control = await fuzz({
        command,
        folder,
        document: without(await documentOf(service, 'maps'), '/v1/project/{project_id}', 'get', '404'),
        url,
        key: adminKeys.maps,
        examples: 10,
      });
      lines.push(
        line(
          'control: a status that is not declared is found',
          control.failures[0]?.title ?? 'nothing',
          'found',
          control.failures.length > 0,
        ),
      );
      // What a limit of a minute refuses shows nothing.
      await unlimited(service);
      const ofMaps = await prepareMaps(service);
      const knownAt = { maps: () => ofMaps, instance: await prepareInstance(service) };
      for (const name of serviceNames.filter((each) => only === undefined || each === only)) {
        const document = await documentOf(service, name);
        const addresses = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
        note(`${name}: ${addresses} addresses, ${examples} examples of each`);
        const found: Fuzzed[] = [];
        for (const part of inTwo(withKnown(document, knownAt[name])))
          found.push(await fuzz({ command, folder, document: part, url, key: adminKeys[name], examples }));
        for (const { failures, text } of found) if (failures.length > 0) note(text);
        const declared = declaredFailures(document);
        lines.push(
          line(
            `${name}: 5xx that the document declares`,
            declared.join(', ') || 'none',
            '501 alone',
            declared.every((each) => each.startsWith('501 ')),
          ),
          ...linesOf(name, addresses, found),
          await withKeyLine(service, name),
        );
      }
      return lines;
    } finally {
      await service.term();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
