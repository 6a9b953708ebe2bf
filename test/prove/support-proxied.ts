import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenProject } from '../../cli/start/open-project.ts';
import { noRemedy, remedyFor } from '../../errors/remedies.ts';
import type { Stack } from '../support/stack.ts';
import { writeConnections } from '../support/connections.ts';
import type { Proxy } from './support-proxy.ts';

/** A creation, additions in two shards, a change and a read: each of another effect class. */
const pipeline = `
name: proxied
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: rows.csv, id: { column: key } } }
  note: { use: api.call, needs: [rows], with: { operation: maps.projects.update, input: { project_id: "\${{ steps.dataset.id }}", id: "\${{ steps.dataset.id }}", description: noted } } }
  read: { use: api.call, needs: [note], with: { operation: maps.projects.get, input: { project_id: "\${{ steps.dataset.id }}" } } }
outputs: { rows: "\${{ steps.read.result.total_datums_in_project }}" }
`;

export const rowCount = 400;

/** A stack whose workers reach the service through proxies, one for each connection `via-N`. */
export async function layPipes(stack: Stack, proxies: readonly Proxy[]): Promise<string> {
  const batch = { rows: rowCount / 2 };
  await writeConnections(stack, Object.fromEntries(proxies.map(({ url }, lane) => [`via-${lane}`, { url, batch }])));
  const rows = Array.from({ length: rowCount }, (_, at) => `k${at},word number ${at}`);
  await writeFile(join(stack.dir, 'rows.csv'), `key,text\n${rows.join('\n')}\n`);
  const file = join(stack.dir, 'proxied.yaml');
  await writeFile(file, pipeline);
  await stack.worker.stop();
  await stack.worker.start(0);
  return file;
}

export type Round = {
  dataset: string;
  fired: boolean;
  state: string;
  error: string | undefined;
  /** What the service holds is other than the pipeline says, although the run ended well. */
  wrong: string | undefined;
};

let slugs = 0;

/** One run through one proxy, and what the service holds after it. */
export async function roundThrough(
  { stack, project, file }: { stack: Stack; project: OpenProject; file: string },
  lane: number,
  trouble: () => { readonly fired: boolean },
): Promise<Round> {
  const dataset = `proxied-${process.pid}-${++slugs}`;
  // The command itself asks the service first: the trouble is the run's.
  const ordered = trouble();
  const { run } = await project.start(file, { dataset }, { connection: `via-${lane}` });
  const view = await project.ended(run, { signal: AbortSignal.timeout(180_000) });
  const found = (await stack.api.projects.list({})).projects.filter(({ slug }) => slug === dataset || slug.startsWith(`${dataset}-`));
  const held = found[0] && (await stack.api.projects.get({ project_id: found[0].id }));
  const holds = `${found.length} datasets, ${held?.total_datums_in_project} rows, ${held?.description}`;
  const wrong = view.state !== 'done' || holds === `1 datasets, ${rowCount} rows, noted` ? undefined : `${dataset}: ${holds}`;
  return {
    dataset,
    fired: ordered.fired,
    state: view.state,
    error: view.error && `${view.error.type}${remedyFor(view.error) === noRemedy ? ' without a remedy' : ''}`,
    wrong,
  };
}
