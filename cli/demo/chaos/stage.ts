import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig, projectFolders } from '../../../config/load.ts';
import { startService, startWorker } from '../../../dev/service-and-worker.ts';
import { startDev } from '../../../dev/supervisor.ts';
import { findTemporal, keptBinary, temporalSources, type TemporalSource } from '../../../dev/temporal/binary.ts';
import { UsageError } from '../../frame/errors.ts';
import type { VerbContext } from '../../frame/verb.ts';
import { controlOf } from '../control.ts';
import { connection, pipelineSide, pipelineText } from './pipeline-side.ts';
import { scriptSide } from './script-side.ts';
import type { Side } from './side.ts';

/** Every second note has no email, so that its agent is sent a follow-up. */
const notes = (items: number): { id: string; text: string }[] =>
  Array.from({ length: items }, (_, at) => ({
    id: `note-${at}`,
    text: at % 2 === 0 ? `Write to guest${at}@example.com about room ${at}.` : `Room ${at} was ready in time, and nobody asked for more.`,
  }));

/** Where the server comes from; a cluster that others work on is none of them. */
export const sourceNamed = (name: string | undefined): TemporalSource | undefined => {
  if (name === undefined) return undefined;
  const known = temporalSources.find((source) => source === name);
  if (known === undefined)
    throw new UsageError(`demo chaos takes its Temporal server from ${temporalSources.join(', ')}, not from '${name}'`);
  return known;
};

/**
 * A project whose connection knows none of the limits that are published: what its service accepts it finds out by the answers, as the script
 * does. Published are thirty launches a minute, with which three hundred agents would take ten.
 */
const configOf = ({ url, keyFiles }: { url: string; keyFiles: { instance: string } }): string => {
  const wide = { count: 1_000_000, seconds: 1 };
  const limits = { 'instance/standard': wide, 'instance/write': wide, 'instance/heavy': wide };
  const connections = { [connection]: { instance: { url, secret: { file: keyFiles.instance }, limits } } };
  return `export default ${JSON.stringify({ connections })};\n`;
};

const served = { embedding: 'lexical', control: true } as const;

/**
 * A folder of its own with a Temporal server, a worker, and a service for each side, so that neither meets the limits of the other. All of it
 * ends with the demo.
 */
export async function setStage(
  context: VerbContext,
  { items, source, report }: { items: number; source: TemporalSource | undefined; report: (line: string) => void },
): Promise<{ sides: Side[] } & AsyncDisposable> {
  const root = mkdtempSync(join(tmpdir(), 'portolan-chaos-'));
  const dirs = { byHand: join(root, 'by-hand'), pipeline: join(root, 'pipeline') };
  for (const dir of Object.values(dirs)) {
    mkdirSync(dir);
    writeFileSync(join(dir, 'portolan.config.mts'), 'export default {};\n');
    writeFileSync(join(dir, 'notes.json'), JSON.stringify(notes(items)));
  }
  writeFileSync(join(dirs.pipeline, 'agents.yaml'), pipelineText());
  const stops: (() => Promise<unknown>)[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    // A server that this project has fetched is fetched once.
    const binary = await findTemporal({ dir: projectFolders(context.cwd).dir, ...(source && { source }), report });
    const kept = keptBinary(join(dirs.pipeline, '.portolan'));
    mkdirSync(dirname(kept), { recursive: true });
    symlinkSync(binary.path, kept);
    const quiet = (): void => undefined;
    const begun = {
      dev: startDev({ ...served, cwd: dirs.pipeline, temporalSource: 'kept', worker: false, report: quiet }).then(
        (dev) => (stops.push(() => dev.stop()), dev),
      ),
      service: startService(await loadConfig(dirs.byHand), { ...served, report: quiet }, undefined, quiet).then(
        (service) => (stops.push(() => service.stop()), service),
      ),
    };
    // Neither is left under way when the other fails.
    await Promise.allSettled(Object.values(begun));
    const dev = await begun.dev;
    const script = (await begun.service).current()!;
    const pipeline = dev.file().service;
    writeFileSync(join(dirs.pipeline, 'portolan.config.mts'), configOf(pipeline));
    const worker = await startWorker(await loadConfig(dirs.pipeline), quiet, quiet);
    stops.unshift(() => worker.stop());
    const at = ({ url, keyFiles }: { url: string; keyFiles: { instance: string } }) => ({
      url,
      key: readFileSync(keyFiles.instance, 'utf8').trim(),
      control: controlOf(url, context.signal),
    });
    return {
      sides: [scriptSide(dirs.byHand, at(script)), pipelineSide(context, { cwd: dirs.pipeline, worker }, at(pipeline))],
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
