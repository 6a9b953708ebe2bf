import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { OpenApi } from '../../service/openapi/document.ts';

const run = promisify(execFile);

/** The version that is asked for: what it generates, and how it reports, is its own. */
const schemathesis = 'schemathesis==4.32.5';

/** Schemathesis in an environment of its own below `folder`; the path of its command. Fails where it cannot be installed. */
export async function installSchemathesis(folder: string): Promise<string> {
  const environment = join(folder, 'schemathesis');
  await run('python3', ['-m', 'venv', environment]);
  const python = join(environment, 'bin', 'python');
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', schemathesis], { timeout: 900_000 });
  return join(environment, 'bin', 'schemathesis');
}

const report = z.looseObject({
  complete: z.boolean(),
  operations: z.looseObject({ tested: z.int(), errored: z.int() }),
  test_cases: z.looseObject({ generated: z.int(), errored: z.int() }),
  failures: z.array(z.looseObject({ title: z.string(), operations: z.array(z.unknown()) })),
});

export type Fuzzed = z.output<typeof report> & {
  /** What the command wrote for people. */
  text: string;
};

/** What is looked for in every answer. A failure of the service is a status that no document declares, but for a 501 that one does. */
const checks = 'status_code_conformance,content_type_conformance,response_schema_conformance';

export type Fuzz = { command: string; folder: string; document: OpenApi; url: string; key: string; examples: number };

/** Sends what a document allows, and what it does not, to a service, in calls by themselves and one after the other. */
export async function fuzz({ command, folder: within, document, url, key, examples }: Fuzz): Promise<Fuzzed> {
  const folder = await mkdtemp(join(within, 'slice-'));
  const file = join(folder, 'document.json');
  const into = join(folder, 'report.json');
  await writeFile(file, JSON.stringify(document));
  const options = ['--url', url, '--header', `Authorization: Bearer ${key}`, '--max-examples', String(examples), '--seed', '1'];
  const how = ['--continue-on-failure', '--no-shrink', '--checks', checks, '--warnings', 'off', '--request-timeout', '60'];
  const text = await run(command, ['run', file, ...options, ...how, '--report', 'json', '--report-json-path', into], {
    maxBuffer: 1 << 28,
    cwd: folder,
  }).then(
    ({ stdout }) => stdout,
    // It ends with 1 where it has found something.
    (error: { stdout?: string; message: string }) => error.stdout ?? error.message,
  );
  return { ...report.parse(JSON.parse(await readFile(into, 'utf8'))), text };
}

type Schema = { [keyword: string]: unknown };

/** Values that are there, by the field that names them. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field that names something there is: half of what is sent is, the other half whatever its schema allows. */
const preferring = (schema: Schema, known: readonly unknown[]): Schema =>
  schema['type'] === 'array'
    ? { ...schema, items: preferring((schema['items'] ?? {}) as Schema, known) }
    : { anyOf: [{ enum: known }, schema] };

/** Of what may be taken away there are so many. */
export const spares = 5;

/** Ids of what stands ready, by the path of an operation: what is there for all, and what may be taken away. */
export type Ready = { there(path: string): Known; spare(path: string): Known };

/** A document in which the fields of these names prefer what is there: of random ids nobody gets beyond a 404. */
export function withKnown(document: OpenApi, { there, spare }: Ready): OpenApi {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          preferringKnown(operation, isIrreversible(operation) ? spare(path) : there(path)),
        ]),
      ),
    ]),
  );
  return { ...document, paths };
}

const isIrreversible = (operation: object): boolean => (operation as { description: string }).description.includes('irreversible');

/** The operations of a resource, those that can be taken back apart from those that cannot. */
export type Slice = { name: string; irreversible: boolean; addresses: number; document: OpenApi };

/**
 * A document in slices, so that what was found in one is known before the next. What cannot be taken back stands alone: with the lists
 * beside it, that would take away what others need.
 */
export function slicesOf(document: OpenApi): Slice[] {
  const slices = new Map<string, Slice>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const irreversible = isIrreversible(operation);
      const [resource] = (operation as { tags: [string] }).tags;
      const name = irreversible ? `${resource}, what cannot be taken back` : resource;
      const slice = slices.get(name) ?? { name, irreversible, addresses: 0, document: { ...document, paths: {} } };
      (slice.document.paths[path] ??= {})[method] = operation;
      slice.addresses++;
      slices.set(name, slice);
    }
  return [...slices.values()];
}

/** An operation in which the fields of these names prefer what is there. */
function preferringKnown(operation: object, known: Known): object {
  const inFields = (fields: Schema): Schema =>
    Object.fromEntries(
      Object.entries(fields).map(([name, schema]) => [name, known[name] ? preferring(schema as Schema, known[name]) : schema]),
    );
  const inContent = (content: Schema): Schema =>
    Object.fromEntries(
      Object.entries(content).map(([type, media]) => {
        const { schema } = media as { schema?: Schema };
        return [type, isObject(schema?.['properties']) ? { schema: { ...schema, properties: inFields(schema['properties']) } } : media];
      }),
    );
  const { parameters, requestBody } = operation as {
    parameters: { name: string; schema?: Schema }[];
    requestBody?: { content: Schema };
  };
  return {
    ...operation,
    parameters: parameters.map((each) => {
      const some = known[each.name === 'qid' ? 'qids' : each.name];
      return some && each.schema ? { ...each, schema: preferring(each.schema, some) } : each;
    }),
    ...(requestBody ? { requestBody: { ...requestBody, content: inContent(requestBody.content) } } : {}),
  };
}
