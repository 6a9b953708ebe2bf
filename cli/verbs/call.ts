import { readFile, writeFile } from 'node:fs/promises';
import { createClient } from '../../client/create-client.ts';
import { isAmbiguous } from '../../client/errors.ts';
import { createPermits } from '../../client/permits.ts';
import { resolveConnection } from '../../config/connections.ts';
import { loadConfig } from '../../config/load.ts';
import { limits as published } from '../../contracts/limits.ts';
import { apis, isOperation, operations, serviceOf, type OperationName } from '../../contracts/index.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { nearest } from '../frame/nearest.ts';
import { describeOperation, operationTable } from '../render/operations.ts';
import { sendPatiently, type Send } from '../project/send-patiently.ts';
import { defineVerb } from '../frame/verb.ts';

const readInput = async (text: string | undefined): Promise<Record<string, unknown>> => {
  if (text === undefined) return {};
  const source = text.startsWith('@')
    ? await readFile(text.slice(1), 'utf8').catch((error: Error) => {
        throw new UsageError(`--json ${text}: ${error.message}`, 'name a readable file after the @');
      })
    : text;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new UsageError(
      `--json is not JSON: ${(error as Error).message}`,
      `quote it for the shell: --json '{"field": "value"}', or name a file: --json @input.json`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError('--json must be an object of fields', `--json '{"field": "value"}'`);
  return value as Record<string, unknown>;
};

const unknownOperation = (name: string): UsageError => {
  const meant = nearest(name, Object.keys(operations));
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
    file: { type: 'string', value: 'FILE', description: 'Request body of an operation that takes bytes.' },
    out: { type: 'string', value: 'FILE', description: 'Where an answer of bytes goes.' },
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
      terminal.out(operationTable());
      return exit.done;
    }
    if (!isOperation(name)) throw unknownOperation(name);
    const operation: OperationName = name;
    const endpoint = operations[operation];
    if (options.describe) {
      terminal.out(describeOperation(operation));
      return exit.done;
    }
    const input = await readInput(options.json);
    if (endpoint.body === 'bytes') {
      if (options.file === undefined) throw new UsageError(`${operation} sends bytes: its body is missing`, '--file FILE');
      input['body'] = new Uint8Array(await readFile(options.file));
    }
    const parsed = endpoint.input.safeParse(input);
    if (!parsed.success) {
      const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
      throw new UsageError(
        `the input does not fit ${operation}\n  ${lines.join('\n  ')}`,
        `its fields: portolan call ${operation} --describe`,
      );
    }
    if (endpoint.irreversible && !options.yes) {
      throw new CommandError(`${operation} cannot be taken back: ${endpoint.summary}`, {
        remedy: 'add --yes to do it',
        code: exit.approval,
      });
    }
    const service = serviceOf(operation);
    const connection = resolveConnection(await loadConfig(cwd), options.connection);
    const open = connection[service];
    const client = createClient(service, apis[service], {
      baseUrl: open.url,
      token: () => open.token(),
      permits: createPermits({ ...published, ...open.limits }),
    });
    terminal.err(`${service}: ${connection.name} (${connection.hosted ? 'hosted' : 'local'}, ${open.url})\n`);
    const [, resource, method] = operation.split('.') as [string, string, string];
    const methods = (
      client as unknown as Record<string, Record<string, (input: unknown, options: { signal: AbortSignal }) => Promise<unknown>>>
    )[resource]!;
    const send: Send = () => methods[method]!(input, { signal });
    const answer = await sendPatiently(
      send,
      endpoint.effect === 'safe' || endpoint.effect === 'idempotent',
      (text) => terminal.err(text),
      signal,
    ).catch((error: unknown) => {
      if (isAmbiguous(error) && endpoint.effect !== 'safe' && endpoint.effect !== 'idempotent') {
        throw new CommandError((error as Error).message, {
          remedy: 'it may have happened: look it up before you send it again',
          cause: error,
        });
      }
      throw error;
    });
    if (answer instanceof Uint8Array) {
      if (options.out === undefined) throw new UsageError(`${operation} answered ${answer.length} bytes`, 'say where they go: --out FILE');
      await writeFile(options.out, answer);
      terminal.err(`wrote ${answer.length} bytes to ${options.out}\n`);
    } else terminal.out(`${JSON.stringify(answer, null, terminal.tty ? 2 : undefined)}\n`);
    return exit.done;
  },
});
