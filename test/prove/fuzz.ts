import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames, type Service } from '../../contracts/index.ts';
import { unable } from '../../service/http/check-declared.ts';
import { documentPaths, type OpenApi } from '../../service/openapi/document.ts';
import { startService, type Running } from '../service/running.ts';
import { unlimited } from '../service/world.ts';
import pLimit from 'p-limit';
import { line, type Line, type Proof } from './proof.ts';
import { fuzz, installSchemathesis, slicesOf, withKnown, type Fuzzed } from './support-fuzz.ts';
import { prepareInstance } from './support-fuzz-instance.ts';
import { prepareMaps } from './support-fuzz-maps.ts';

const documentOf = async ({ api }: Running, service: Service): Promise<OpenApi> => (await api.get(documentPaths[service])).body as OpenApi;

/** The statuses that the control leaves out. */
const without = (document: OpenApi, path: string, method: string, status: string): OpenApi => {
  const { responses, ...operation } = document.paths[path]![method] as { responses: Record<string, unknown> };
  const { [status]: _, ...left } = responses;
  return { ...document, paths: { [path]: { [method]: { ...operation, responses: left } } } };
};

const shown = ({ failures }: Fuzzed): string =>
  failures.map(({ title, operations }) => `${title}: ${JSON.stringify(operations).slice(0, 300)}`).join('; ') || 'none';

/** Failures of the service itself that a document declares, by status: nothing but what an instance may be without, or what it leads to. */
const declaredFailures = ({ paths }: OpenApi): { status: number; of: string }[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.keys((operation as { responses: object }).responses)
        .map(Number)
        .filter((status) => status >= 500)
        .map((status) => ({ status, of: `${method.toUpperCase()} ${path}` })),
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
  async run({ note, short, only, kept }) {
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
      const ready = { maps: await prepareMaps(service), instance: await prepareInstance(service) };
      for (const name of serviceNames.filter((each) => only === undefined || each === only)) {
        const document = await documentOf(service, name);
        const slices = slicesOf(withKnown(document, ready[name]));
        const addresses = slices.reduce((sum, slice) => sum + slice.addresses, 0);
        note(`${name}: ${addresses} addresses in ${slices.length} slices, ${examples} examples of each`);
        const found: Fuzzed[] = [];
        for (const irreversible of [false, true])
          await pLimit(2).map(
            slices.filter((slice) => slice.irreversible === irreversible),
            async (slice) => {
              const { name: of, document: part } = slice;
              const started = performance.now();
              const fuzzed = await kept.round(`${name} ${of} ${examples}`, () =>
                fuzz({ command, folder, document: part, url, key: adminKeys[name], examples }),
              );
              found.push(fuzzed);
              const { failures, test_cases, text } = fuzzed;
              const seconds = Math.round((performance.now() - started) / 1_000);
              note(
                `${name}, ${of}: ${slice.addresses} addresses, ${test_cases.generated} requests, ${failures.length} found, ${seconds} s`,
              );
              if (failures.length > 0) note(text);
            },
          );
        const declared = declaredFailures(document);
        lines.push(
          line(
            `${name}: 5xx that the document declares`,
            declared.map(({ status, of }) => `${status} of ${of}`).join(', ') || 'none',
            `${unable.join(', ')} alone`,
            declared.every(({ status }) => unable.includes(status)),
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
