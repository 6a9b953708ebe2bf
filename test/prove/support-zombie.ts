import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import type { Step } from '../../pipelines/step.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import type { FaultAction } from '../support/control.ts';
import { serve } from '../support/serve.ts';
import type { Stack } from '../support/stack.ts';
import { unlocked } from '../support/unlocked.ts';

/** What is wrong with the world after a stopped worker went on: things that stand there twice, and things that are gone. */
export type Damage = { repeated: number; lost: number };

/** A run that is stopped in the middle of one act. */
export type Case = {
  name: string;
  /** Pipeline of the run; the calls at which it is held, each counted from the one before it. */
  prepare(
    lab: Lab,
    made: number,
  ): Promise<{ text: string; accept?: readonly string[]; holds: readonly { operation: string; nth: number; do: FaultAction }[] }>;
  /** What happens in the world when the run has ended elsewhere, while the worker that began it is still stopped. */
  meanwhile?(lab: Lab): Promise<void>;
  damage(lab: Lab): Promise<Damage>;
};

export type Lab = {
  stack: Stack;
  organization: string;
  steps: Readonly<Record<string, Step>>;
  outside: Outside;
  /** What a case notes for itself. */
  notes: Map<string, string>;
};

const rows = 30;
const changed = 5;
const items = 6;
const heldItem = '2';

const ids = Array.from({ length: rows }, (_, at) => `row-${at}`);

/** A user's own service: counts what comes, and holds the answer to one item until it is let go. */
export async function createOutside() {
  let received: string[] = [];
  let holding: { held: PromiseWithResolvers<void>; go: PromiseWithResolvers<void> } | undefined;
  const service = await serve(async (request, response) => {
    const item = request.url!.slice(1);
    received.push(item);
    request.resume();
    if (item === heldItem && holding) {
      const { held, go } = holding;
      holding = undefined;
      held.resolve();
      await go.promise;
    }
    response.end();
  });
  return {
    ...service,
    received: () => received,
    /** Holds the next call of that item: when it is held, and to let it go. */
    hold() {
      received = [];
      const made = { held: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
      holding = made;
      return { held: made.held.promise, release: () => made.go.resolve() };
    },
  };
}
export type Outside = Awaited<ReturnType<typeof createOutside>>;

const sweep = (url: string): string => `import { defineSweep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
export default defineSweep({
  name: 'zombie.once',
  input: z.strictObject({}),
  effect: 'never',
  atOnce: 1,
  items: () => Array.from({ length: ${items} }, (_, at) => String(at)),
  async each(item) {
    await (await fetch('${url}/' + item, { method: 'POST' })).arrayBuffer();
  },
});
`;

/** A stack with the own sweep, on one worker. */
export async function prepareLab(stack: Stack, outside: Outside): Promise<Lab> {
  const file = join(stack.dir, 'steps', 'once.mts');
  await mkdir(join(stack.dir, 'steps'), { recursive: true });
  await writeFile(file, sweep(outside.url));
  await stack.worker.stop();
  await stack.worker.start(0);
  const own = await loadOwnSteps([file]);
  const { organizations } = await stack.api.user.get({});
  return {
    stack,
    outside,
    organization: organizations[0]!.organization_id,
    steps: withOwn(own),
    notes: new Map(),
  };
}

const table = (edit: (at: number) => string): string => ['id,text', ...ids.map((id, at) => `${id},${edit(at)}`)].join('\n');
const first = table((at) => `text ${at}`);
const second = table((at) => (at < changed ? `other text ${at}` : `text ${at}`));

async function source(lab: Lab, name: string, text: string): Promise<string> {
  const path = join(lab.stack.dir, name);
  await writeFile(path, text);
  return path;
}

async function newDataset({ stack, organization }: Lab, name: string): Promise<string> {
  const { project_id } = await stack.api.projects.create({ organization_id: organization, project_name: name, unique_id_field: 'id' });
  return project_id;
}

const note = (lab: Lab, name: string, value: string): string => (lab.notes.set(name, value), value);

/** A dataset with the first table, put there by a run of its own. */
async function filled(lab: Lab, name: string, run: Start): Promise<string> {
  const dataset = await newDataset(lab, name);
  const file = await source(lab, `${name}.csv`, first);
  await run(`name: fill\nsteps:\n  rows: { use: dataset.append, with: { dataset: ${dataset}, source: ${file}, id: { column: id } } }\n`);
  return dataset;
}

/** Starts the pipeline of a text and waits for its end. */
type Start = (text: string) => Promise<unknown>;

const late = async ({ stack, notes }: Lab, operation: string) =>
  (await stack.control.requests()).rows.filter((row) => row.operation === operation && row.at >= Number(notes.get('thawed')));

export const cases = (run: (lab: Lab) => Start): readonly Case[] => [
  {
    name: 'append with replace',
    async prepare(lab, made) {
      const dataset = note(lab, 'replaced', await filled(lab, `replace-${made}`, run(lab)));
      const file = await source(lab, `replace-${made}-2.csv`, second);
      return {
        text: `name: replace\nsteps:\n  rows: { use: dataset.append, with: { dataset: ${dataset}, source: ${file}, id: { column: id }, onChange: replace } }\n`,
        accept: ['rows'],
        // The last read before the deletion.
        holds: [{ operation: 'maps.data.get', nth: 2, do: { hold: 'before' } }],
      };
    },
    async damage(lab) {
      const project = await unlocked(lab.stack.api, lab.notes.get('replaced')!);
      const deletions = await late(lab, 'maps.data.delete');
      return { repeated: deletions.length, lost: rows - project.total_datums_in_project };
    },
  },
  {
    name: 'upload',
    async prepare(lab, made) {
      const dataset = note(lab, 'uploaded', await newDataset(lab, `upload-${made}`));
      const file = await source(lab, `upload-${made}.csv`, first);
      return {
        text: `name: upload\nsteps:\n  rows: { use: dataset.upload, with: { dataset: ${dataset}, source: ${file}, id: { column: id } } }\n`,
        holds: [{ operation: 'maps.projects.get', nth: 1, do: { hold: 'before' } }],
      };
    },
    async damage(lab) {
      const project = await unlocked(lab.stack.api, lab.notes.get('uploaded')!);
      // An upload that nobody fills stays at the service.
      return { repeated: (await late(lab, 'maps.uploads.start')).length, lost: rows - project.total_datums_in_project };
    },
  },
  {
    name: 'tag',
    async prepare(lab, made) {
      const dataset = await filled(lab, `tag-${made}`, run(lab));
      const { job_id, projection_id } = await lab.stack.api.indices.create({
        project_id: dataset,
        index_name: 'map',
        indexed_field: null,
        model: null,
        nearest_neighbor_index: null,
        projection: 'SvcProject',
        projection_hyperparameters: '{"model":"random"}',
      });
      await unlocked(lab.stack.api, dataset);
      const { index_id } = await lab.stack.api.indices.job({ job_id });
      const map = note(lab, 'tagged', projection_id ?? index_id);
      return {
        text: `name: tag\nsteps:\n  all: { use: points.select, with: { map: ${map}, where: { search: text, for: text } } }\n  tag: { use: points.tag, with: { map: ${map}, points: "\${{ steps.all.points }}", add: zombie } }\n`,
        // Too many at once: sent in halves, of which the first is held.
        holds: [
          { operation: 'maps.tags.update', nth: 1, do: { status: 413 } },
          { operation: 'maps.tags.update', nth: 2, do: { hold: 'after' } },
        ],
      };
    },
    async meanwhile({ stack, notes }) {
      await stack.api.tags.update({ projection_id: notes.get('tagged')!, tag_name: 'zombie', ids, operation: 'remove', id_field: 'id' });
    },
    async damage(lab) {
      // Every point that is tagged again has lost its removal.
      const { rows: effects } = await lab.stack.control.journal();
      const again = effects.filter((row) => row.operation === 'maps.tags.update' && row.at >= Number(lab.notes.get('thawed')));
      return { repeated: again.length, lost: again.reduce((sum, each) => sum + each.changed, 0) };
    },
  },
  {
    name: "own sweep of class 'never'",
    async prepare() {
      return { text: 'name: once\nsteps:\n  all: { use: zombie.once, with: {}, tolerate: { unknown: 1 } }\n', holds: [] };
    },
    async damage({ outside }) {
      const calls = Map.groupBy(outside.received(), (item) => item);
      return { repeated: outside.received().length - calls.size, lost: items - calls.size };
    },
  },
  {
    name: 'index creation',
    async prepare(lab, made) {
      const dataset = note(lab, 'indexed', await filled(lab, `index-${made}`, run(lab)));
      return {
        text: `name: index\nsteps:\n  map: { use: index.build, with: { dataset: ${dataset} } }\n`,
        // Lost before its effect, and looked for in vain for the second time: sent again next.
        holds: [
          { operation: 'maps.indices.create', nth: 1, do: { reset: 'before' } },
          { operation: 'maps.projects.get', nth: 3, do: { hold: 'before' } },
        ],
      };
    },
    async damage(lab) {
      const { atlas_indices } = await unlocked(lab.stack.api, lab.notes.get('indexed')!);
      return { repeated: atlas_indices.length - 1, lost: atlas_indices.length === 0 ? 1 : 0 };
    },
  },
];
