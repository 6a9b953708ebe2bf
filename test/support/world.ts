import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { temporal } from '@temporalio/proto';
import { WorkflowFailedError } from '@temporalio/client';
import { main } from '../../cli/frame/main.ts';
import { findRun, type RunLocation, type RunPlace } from '../../runs/find.ts';
import { watchRun } from '../../runs/watch.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunView } from '../../workflows/messages.ts';
import type { JournalRow } from './control.ts';
import { heldDocuments } from './held-documents.ts';
import { createStack, type Stack, type StackOptions } from './stack.ts';

export type Said = { code: number; out: string; err: string };

/** The last line of `portolan run --json`. */
export type RunResult = {
  type: 'result';
  run: string;
  state: RunView['state'];
  workflowId: string;
  outputs: Record<string, any>;
  error?: RunView['error'];
  links: { temporal?: string; report?: string };
};

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export type World = Stack & ReturnType<typeof door>;

/** A service and a worker of one's own, and the command line of their folder. */
export async function createWorld(options: StackOptions = {}): Promise<World> {
  const stack = await createStack(options);
  return Object.defineProperties(door(stack), Object.getOwnPropertyDescriptors(stack)) as World;
}

/** Looks for a run, a tenth of a second apart: that of a step is there only once its turn has come, on a busy machine after seconds. */
const patience = 1_000;

const door = (stack: Stack) => {
  const place: RunPlace = { client: stack.client, storeRoot: join(stack.state, 'runs') };
  const journalled = async (): Promise<JournalRow[]> => (await stack.control.journal()).rows;

  /** One command line in this process, in the folder of the world. */
  const portolan = async (
    argv: readonly string[],
    {
      env = {},
      cwd = stack.dir,
      signal,
      tty = false,
    }: { env?: Record<string, string>; cwd?: string; signal?: AbortSignal; tty?: boolean } = {},
  ): Promise<Said> => {
    let out = '';
    let err = '';
    const held = heldDocuments();
    const code = await main(argv, {
      cwd,
      stdout: { write: (text: string) => ((out += text), true) },
      stderr: { write: (text: string) => ((err += text), true) },
      tty,
      columns: 100,
      env,
      onDocument: held.onDocument,
      ...(signal ? { signal } : {}),
    });
    held.check();
    return { code, out, err };
  };

  const write = async (name: string, content: string | Uint8Array | object): Promise<string> => {
    const path = join(stack.dir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content));
    return path;
  };

  const pipeline = (text: string): Promise<string> => write(`pipelines/${randomUUID().slice(0, 8)}.yaml`, text);

  const command = (file: string, params: Record<string, string>, more: readonly string[] = []): string[] => [
    'run',
    file,
    '--connection',
    stack.connection,
    '--json',
    ...Object.entries(params).flatMap(([name, value]) => ['-p', `${name}=${value}`]),
    ...more,
  ];

  /** Runs a pipeline text to its end, or to where only a person can go on. */
  const run = async (
    text: string,
    params: Record<string, string> = {},
    more: readonly string[] = [],
  ): Promise<Said & { lines: Record<string, any>[]; result: RunResult }> => {
    const said = await portolan(command(await pipeline(text), params, more));
    const lines = said.out
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, any>);
    const result = lines.at(-1) as RunResult | undefined;
    if (result?.type !== 'result') throw new Error(`portolan run ended ${said.code} without a result: ${said.err}${said.out}`);
    return { ...said, lines, result };
  };

  const startFile = async (file: string, params: Record<string, string> = {}): Promise<string> => {
    const { code, out, err } = await portolan([...command(file, params), '--detach']);
    if (code !== 0) throw new Error(`portolan run --detach ended ${code}: ${err}`);
    return (JSON.parse(out) as RunResult).run;
  };

  /** Starts a pipeline text and returns the run's id. */
  const start = async (text: string, params: Record<string, string> = {}): Promise<string> => startFile(await pipeline(text), params);

  const locate = (id: string): Promise<RunLocation> => findRun(place, id);

  /** The first state of a run that the condition holds for. */
  const until = async (id: string, holds: (snapshot: RunSnapshot) => boolean): Promise<RunSnapshot> => {
    let last: RunSnapshot | undefined;
    for await (const snapshot of watchRun(place, await findRun(place, id, patience), { minMs: 50 })) {
      last = snapshot;
      if (holds(snapshot)) return snapshot;
    }
    throw new Error(`run ${id} ended ${last?.view.state} without what was waited for`);
  };

  /** The run's end, well or not. */
  const ended = async (id: string): Promise<RunSnapshot> => {
    const { workflowId, firstRunId } = await findRun(place, id, patience);
    await stack.client.workflow
      .getHandle(workflowId, firstRunId)
      .result()
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowFailedError)) throw error;
      });
    return until(id, ({ source }) => source === 'result');
  };

  /** Every event of every execution of a run, first execution first. */
  const histories = async (id: string): Promise<temporal.api.history.v1.IHistory[]> => {
    const { workflowId, firstRunId } = await locate(id);
    const found: temporal.api.history.v1.IHistory[] = [];
    for (let runId = firstRunId; runId;) {
      const history = await stack.client.workflow.getHandle(workflowId, runId).fetchHistory();
      found.push(history);
      runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    }
    return found;
  };

  return {
    place,
    portolan,
    write,
    pipeline,
    run,
    start,
    startFile,
    locate,
    until,
    ended,
    histories,
    events: async (id: string): Promise<HistoryEvent[]> => (await histories(id)).flatMap(({ events }) => events ?? []),
    store: (id: string) => createRunStore(pathToFileURL(join(place.storeRoot, id)).href),
    /** What an act changed at the service: its value, and the journal's rows since. */
    effectsOf: async <T>(act: () => Promise<T>): Promise<{ value: T; effects: JournalRow[] }> => {
      // Rows are numbered per store, so all their fields together distinguish them.
      const before = new Set((await journalled()).map((row) => JSON.stringify(row)));
      const value = await act();
      return { value, effects: (await journalled()).filter((row) => !before.has(JSON.stringify(row))) };
    },
    /** Calls that the service got during an act, by operation. */
    callsOf: async <T>(act: () => Promise<T>): Promise<{ value: T; calls: string[] }> => {
      const before = new Set((await stack.control.requests()).rows.map(({ request_id, at }) => `${request_id} ${at}`));
      const value = await act();
      const { rows } = await stack.control.requests();
      return { value, calls: rows.filter(({ request_id, at }) => !before.has(`${request_id} ${at}`)).map(({ operation }) => operation) };
    },
  };
};

const movies = JSON.parse(readFileSync(new URL('../../node_modules/vega-datasets/data/movies.json', import.meta.url), 'utf8')) as Record<
  string,
  string | number | null
>[];

/** The first records of movies.json; among the first 300 three titles are numbers, so that the column is mixed. */
export const moviesOf = (count: number): Record<string, string | number | null>[] => movies.slice(0, count);

let slugs = 0;
/** A name that no other test of this server uses: the id of a run's workflow is made of it. */
export const newSlug = (what: string): string => `${what}-${process.pid}-${++slugs}`;
