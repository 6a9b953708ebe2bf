import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { liveDevFile, type DevFile } from '../../config/dev-file.ts';
import { loadConfig } from '../../config/load.ts';
import { resolveService } from '../../config/connections.ts';
import { startDetached, stopDev } from '../../dev/detach.ts';
import { signalGroup } from '../../dev/processes.ts';
import type { AnyTemporalSource } from '../../dev/temporal/start.ts';
import { listRuns } from '../../runs/list.ts';
import { installCommand, missingPackages } from '../../service/engine/embedding/packages.ts';
import { run } from '../verbs/run.ts';
import { CommandError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { demoPipeline } from './files.ts';
import { demoTrouble } from './trouble.ts';
import { createPaint } from '../render/paint.ts';
import { withNotes } from '../frame/notes.ts';
import type { VerbContext } from '../frame/verb.ts';

/** Default of the pipeline's parameter `dataset`. */
const dataset = 'words';

/**
 * The product at work on this machine: server, service and worker are started, a real pipeline runs, and on its first
 * run the worker is killed, an answer lost and a limit closed. The service's own journal shows what that did.
 */
export async function runDemo(context: VerbContext): Promise<number> {
  const { cwd } = context;
  const packages = missingPackages();
  if (packages.length > 0)
    throw new CommandError(`the demo embeds text by meaning, and ${packages.join(' and ')} are not installed`, { remedy: installCommand });
  const pipeline = await demoPipeline(cwd);
  const { dir, store } = await loadConfig(cwd);
  const isOurs = liveDevFile(dir) === undefined;
  let code: number = exit.failed;
  try {
    code = await show(context, pipeline);
    return code;
  } finally {
    // What a failure leaves running helps nobody; a run that goes on without this command needs it.
    if (isOurs && code !== exit.done && !(await goesOn(store))) await stopDev(cwd);
  }
}

const goesOn = async (storeRoot: string): Promise<boolean> => (await listRuns({ storeRoot })).some(({ state }) => state === 'running');

async function show(context: VerbContext, pipeline: string): Promise<number> {
  const { cwd, signal } = context;
  const { terminal, note, flush } = withNotes(context.terminal);
  const paint = createPaint(terminal.color);
  const print = (line: string): void => terminal.out(`${line}\n`);
  const dev = await ensureDev(context, print);
  const config = await loadConfig(cwd);
  const open = resolveService(config, 'maps', 'local');
  const api = createClient('maps', { baseUrl: open.url, token: open.token, permits: createPermits() });
  const { projects } = await api.projects.list({});
  const first = !projects.some(({ slug }) => slug === dataset);
  const trouble =
    first &&
    demoTrouble(
      dev.service.url,
      () => signalGroup(liveDevFile(config.dir)!.worker!.pid, 'SIGKILL'),
      (line) => note(paint.yellow(`! ${line}`)),
    );
  if (first) print('on the way: a 429 with Retry-After, a worker killed while its call is under way, the lost answer of an index creation');
  else print(`dataset "${dataset}" is there from an earlier run: nothing unchanged is sent again`);

  if (signal.aborted) return exit.interrupted;
  try {
    if (trouble) await trouble.arm();
    // A changed record is replaced, and the deletion in it cannot be taken back: a run by hand says `--accept rows` too.
    const code = await run.run({ ...context, terminal, args: [pipeline], options: { connection: 'local', accept: ['rows'] } });
    flush();
    if (code !== exit.done) return code;
    if (trouble) for (const line of await trouble.account()) print(line);
    print(`\neverything goes on running, so that the links work; to end it: npx portolan dev --stop`);
    return code;
  } finally {
    if (trouble) trouble.end();
  }
}

async function ensureDev(context: VerbContext, print: (line: string) => void): Promise<DevFile> {
  const { dir } = await loadConfig(context.cwd);
  const live = liveDevFile(dir);
  if (live?.service.control) return live;
  print('starting a Temporal server, the local service and a worker …');
  const source = (context.options as { 'temporal-source'?: AnyTemporalSource })['temporal-source'];
  const dev = await startDetached({
    cwd: context.cwd,
    control: true,
    embedding: 'semantic',
    ...(source ? { temporalSource: source } : {}),
  });
  print(`temporal: ${dev.temporal.address} (${dev.temporal.source})${dev.temporal.uiUrl ? `, Web UI ${dev.temporal.uiUrl}` : ''}`);
  print(`service:  ${dev.service.url}`);
  return dev;
}
