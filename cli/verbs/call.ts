import { createReadStream, openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { NetworkError } from '../../client/errors.ts';
import { createCalls } from '../../client/invoke.ts';
import { resolveService } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import { loadConfig } from '../../config/load.ts';
import { sayDeprecated } from '../../contracts/deprecated.ts';
import { isRepeatable, takesFiles, type Endpoint } from '../../contracts/endpoint.ts';
import { isOperation, operations, serviceOf, type OperationName } from '../../contracts/index.ts';
import { withoutByteOrderMark } from '../../text/byte-order-mark.ts';
import { counted } from '../../text/units.ts';
import { checkOut, writeOut } from '../project/write-out.ts';
import { answerSink } from '../project/answer-sink.ts';
import { givenFile } from '../project/given-file.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { nearestWord } from '../frame/nearest.ts';
import type { Terminal } from '../frame/terminal.ts';
import { describeOperation, operationTable } from '../render/operations.ts';
import { mayHaveHappened, sendPatiently, type Send } from '../project/send-patiently.ts';
import { defineVerb } from '../frame/verb.ts';

const readInput = async (flag: '--json' | '--extra', text: string | undefined, cwd: string): Promise<Record<string, unknown>> => {
  if (text === undefined) return {};
  const source = text.startsWith('@')
    ? await readFile(resolve(cwd, text.slice(1)), 'utf8').catch((error: Error) => {
        throw new UsageError(`${flag} ${text}: ${error.message}`, 'name a readable file after the @');
      })
    : text;
  let value: unknown;
  try {
    value = JSON.parse(withoutByteOrderMark(source));
  } catch (error) {
    throw new UsageError(
      `${flag} is not JSON: ${(error as Error).message}`,
      `quote it for the shell: ${flag} '{"field": "value"}', or name a file: ${flag} @input.json`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${flag} must be an object of fields`, `${flag} '{"field": "value"}'`);
  return value as Record<string, unknown>;
};

const unknownOperation = (name: string): UsageError => {
  const meant = nearestWord(name, Object.keys(operations));
  return new UsageError(`'${name}' is not an operation`, `${meant ? `did you mean ${meant}? ` : ''}all operations: portolan call`);
};

export const call = defineVerb({
  name: 'call',
  summary: 'Send one call of either API.',
  usage: '[OPERATION]',
  details:
    'Without OPERATION it lists all operations. Input is checked against the operation’s contract before anything is sent.\nAn act that cannot be taken back needs --yes.',
  options: {
    json: { type: 'string', value: 'INPUT', description: 'Input as JSON, or @FILE.' },
    extra: { type: 'string', value: 'FIELDS', description: 'Fields beside those of the contract, as JSON or @FILE: sent as they are.' },
    file: {
      type: 'string',
      value: '[FIELD=]FILE',
      multiple: true,
      description: 'Request body of an operation that takes bytes, or a file of a field of its form.',
    },
    all: { type: 'boolean', description: 'Every page of a list, one line of JSON for each item.' },
    secret: { type: 'string', value: 'NAME', description: 'Name under which a secret of the answer is kept (.portolan/secrets).' },
    reveal: { type: 'boolean', description: 'Print a secret of the answer instead of keeping it.' },
    out: { type: 'string', value: 'FILE', description: 'Where the answer goes, instead of standard output.' },
    connection: { type: 'string', short: 'c', value: 'NAME', description: 'Connection of portolan.config.mts, or local.' },
    describe: { type: 'boolean', description: 'Show the operation: path, effect, limit, input schema; send nothing.' },
    yes: { type: 'boolean', description: 'Do it although it cannot be taken back.' },
  },
  examples: [
    'portolan call maps.user.get --connection local',
    `portolan call maps.projects.get --json '{"project_id": "…"}' --connection prod`,
  ],
  async run({ args: [name], options, cwd, terminal, signal }) {
    if (name === undefined) {
      terminal.page(operationTable());
      return exit.done;
    }
    if (!isOperation(name)) throw unknownOperation(name);
    const operation: OperationName = name;
    const endpoint: Endpoint = operations[operation];
    if (options.describe) {
      terminal.page(describeOperation(operation));
      return exit.done;
    }
    if (endpoint.answer === 'bytes' && options.out === undefined)
      throw new UsageError(`${operation} answers bytes`, 'say where they go: --out FILE');
    if (options.out !== undefined) await checkOut(options.out, cwd);
    if (options.out !== undefined && options.all)
      throw new UsageError('--all writes its lines to standard output', `portolan call ${operation} --all > ${options.out}`);
    if ((options.secret !== undefined || options.reveal) && !endpoint.secrets)
      throw new UsageError(`${operation} answers no secret`, `leave --${options.reveal ? 'reveal' : 'secret'} away`);
    const input = await readInput('--json', options.json, cwd);
    Object.assign(input, await fileFields(operation, endpoint, options.file ?? [], cwd));
    const parsed = endpoint.input.safeParse(input);
    if (!parsed.success) {
      const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
      throw new UsageError(
        `the input does not fit ${operation}\n  ${lines.join('\n  ')}`,
        `its fields: portolan call ${operation} --describe; what the service knows beside them: --extra`,
      );
    }
    if (endpoint.irreversible && !options.yes) {
      throw new CommandError(`${operation} cannot be taken back: ${endpoint.summary}`, {
        remedy: 'add --yes to do it',
        code: exit.approval,
      });
    }
    const service = serviceOf(operation);
    const config = await loadConfig(cwd);
    const connection = resolveService(config, service, options.connection);
    const permits = createGates(config)(connection);
    const sink = answerSink(config, { reveal: options.reveal ?? false });
    const calls = createCalls(() => ({ baseUrl: connection.url, token: connection.token, permits, secrets: sink.secrets }));
    terminal.err(`${service}: ${connection.name} (${connection.hosted ? 'hosted' : 'local'}, ${connection.url})\n`);
    if (endpoint.deprecated) terminal.err(`${operation} is ${sayDeprecated(endpoint.deprecated)}\n`);
    const extra = options.extra === undefined ? {} : { extra: await readInput('--extra', options.extra, cwd) };
    const sending = { signal, ...extra, ...(options.secret === undefined ? {} : { secret: options.secret }) };
    const repeatable = isRepeatable(endpoint);
    const patiently = <T>(send: Send<T>): Promise<T> =>
      sendPatiently(send, repeatable, (text) => terminal.err(text), signal).catch((error: unknown) => {
        if (!(error instanceof NetworkError) || (mayHaveHappened(error) && !repeatable)) throw error;
        throw new CommandError(error.message, { remedy: 'is the service up? portolan doctor shows it', cause: error });
      });
    if (options.all) return printPages(operation, endpoint, calls.pages(operation, input, { ...sending, each: patiently }), terminal);
    const answer = await patiently(() => calls.invoke(operation, input, sending)).catch((error: unknown) => {
      if (mayHaveHappened(error) && !repeatable) {
        throw new CommandError((error as Error).message, {
          remedy: 'it may have happened: look it up before you send it again',
          cause: error,
        });
      }
      throw error;
    });
    if (options.out !== undefined) {
      const content = answer instanceof Uint8Array ? answer : Buffer.from(`${JSON.stringify(answer ?? null)}\n`);
      await writeOut(options.out, cwd, content);
      terminal.err(`wrote ${counted(content.length, 'byte')} to ${options.out}\n`);
    } else if (answer instanceof Uint8Array)
      throw new UsageError(`${operation} answered ${answer.length} bytes`, 'say where they go: --out FILE');
    else terminal.value(answer, { indent: terminal.tty });
    for (const path of sink.kept) terminal.err(`the secret is in ${path} (mode 600)\n`);
    return exit.done;
  },
});

/** Every item of a list, as a line each. */
async function printPages(
  operation: OperationName,
  { page }: Endpoint,
  pages: AsyncIterable<unknown>,
  { value }: Pick<Terminal, 'value'>,
): Promise<number> {
  if (!page) throw new UsageError(`${operation} has no pages`, 'leave --all away');
  for await (const answer of pages) {
    const items = (answer as Readonly<Record<string, unknown>>)[page.items];
    if (Array.isArray(items)) for (const item of items) value(item);
  }
  return exit.done;
}

/** What `--file` gives: the whole body of an operation that takes bytes, or files of the fields of its form. */
async function fileFields(
  operation: OperationName,
  endpoint: Endpoint,
  files: readonly string[],
  cwd: string,
): Promise<Record<string, unknown>> {
  const { body } = endpoint;
  if (body === 'bytes' || body === 'stream') {
    const [file] = files;
    if (file === undefined || files.length > 1)
      throw new UsageError(`${operation} sends bytes: its body is ${files.length > 1 ? 'one file' : 'missing'}`, '--file FILE');
    const path = await givenFile(`--file ${file}`, file, cwd);
    return { body: body === 'bytes' ? new Uint8Array(await readFile(path)) : createReadStream(path) };
  }
  if (files.length > 0 && !takesFiles(endpoint)) throw new UsageError(`${operation} takes no file`, 'leave --file away');
  const fields: Record<string, File | File[]> = {};
  for (const given of files) {
    const [, field, path] = /^([^=]+)=(.+)$/s.exec(given) ?? [];
    if (field === undefined || path === undefined) throw new UsageError(`--file ${given}: the field is missing`, '--file FIELD=FILE');
    const file = new File([await openAsBlob(await givenFile(`--file ${given}`, path, cwd))], basename(path));
    const others = fields[field];
    fields[field] = others === undefined ? file : [...(Array.isArray(others) ? others : [others]), file];
  }
  return fields;
}
