// Records the golden histories of the interpreter version that new runs get:
//   node --disable-warning=ExperimentalWarning test/histories/record.ts [NAME…]
// A released version's files are never recorded again: they show that its runs still replay.
import { mkdir, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTemporal } from '../../dev/temporal/server.ts';
import { findTemporal } from '../../dev/temporal/binary.ts';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createBundle } from '../prove/support-bundle.ts';
import { startSecond } from '../support/second-command.ts';
import { createWorld, moviesOf, newSlug, type World } from '../support/world.ts';
import { lockIdOf } from '../../pipelines/lock.ts';
import { workflowType } from '../../workflows/messages.ts';
import { anonymous, folderOf, History, type History as Recorded } from './golden.ts';
import { beneathKey } from './record-beneath.ts';
import { scheduled, watched } from './record-watched.ts';
import type { Recording } from './recording.ts';

const version = `v${workflowType.match(/V(\d+)$/)![1]}`;
process.env['PORTOLAN_USER'] = 'recorder';

const data = `
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true }, columns: { title: Title, gross: '"US Gross"', text: "concat_ws(' ', Title::varchar, Director)" } }
`;
const ingest = `
name: ingest
params: { source: { type: path }, dataset: { type: slug } }
steps:${data}
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: text } }
  rich: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { range: gross, from: 1000000 } } }
  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.rich.points }}", add: rich } }
  near: { use: points.search, with: { map: "\${{ steps.map.id }}", query: a film, k: 3, fields: [title] } }
outputs: { near: "\${{ steps.near.results.map(r, r.title) }}", rows: "\${{ steps.rows }}" }
`;
const gated = `
name: gated
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  ask: { use: gate.approve, with: { expires: EXPIRES, show: "\${{ steps.dataset.rows }}" } }
  read: { use: api.call, needs: [ask], with: { operation: maps.projects.get, input: { project_id: "\${{ steps.dataset.id }}" } } }
  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }
outputs: { slug: "\${{ steps.read.result.slug }}", by: "\${{ steps.ask.who }}" }
`.replace('EXPIRES', '1h');
const badOutput = `
name: bad
steps:
  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }
outputs: { huge: "\${{ size(steps.list.result.projects) + 9007199254740993 }}" }
`;

const looped = `
name: looped
steps:
  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }
  each:
    forEach: { items: [1, 2, 3], as: n, parallel: 2 }
    tolerate: { failed: 1 }
    steps:
      first: { use: api.call, when: "\${{ n != 2 }}", with: { operation: maps.user.get, input: {} } }
      wrong: { use: dataset.ensure, with: { slug: "\${{ n == 3 ? 'no slug' : 'looped' }}" }, onError: { forbidden: { retry: 1, every: 1s } } }
    outputs: { n: "\${{ n }}" }
outputs: { done: "\${{ steps.each.done }}" }
finally:
  last: { use: api.call, with: { operation: maps.user.get, input: {} } }
`;
const besideGate = `
name: beside
params: { dataset: { type: slug } }
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
  dataset: { use: dataset.ensure, needs: [ask], with: { slug: "\${{ params.dataset }}" } }
  read: { use: api.call, with: { operation: maps.projects.get, input: { project_id: 00000000-0000-4000-8000-000000000000 } }, onError: { notFound: { retry: 1, every: 1s } } }
finally:
  last: { use: api.call, with: { operation: maps.user.get, input: {} } }
`;

const below = `
name: below
params: { operation: { type: string } }
steps:
  read: { use: api.call, with: { operation: maps.user.get, input: {} } }
  ask: { use: gate.approve, needs: [read], when: "\${{ params.operation == 'asked' }}", with: { expires: 1h } }
outputs: { email: "\${{ steps.read.result.email }}", large: "${'x'.repeat(5_000)}" }
`;
const above = `
name: above
steps:
  each:
    forEach: { items: [plain, asked], as: what, parallel: 2 }
    steps: { one: { use: ./below.yaml, with: { operation: "\${{ what }}" } } }
    outputs: { email: "\${{ steps.one.email }}" }
outputs: { rows: "\${{ steps.each.rows }}" }
`;

const takenBack = `
name: back
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" }, undo: { use: gate.approve, with: { show: "\${{ steps.dataset.slug }}", expires: 1h } } }
  user:
    use: api.call
    needs: [dataset]
    with: { operation: maps.user.get, input: {} }
    undo: { use: api.call, with: { operation: maps.projects.get, input: { project_id: "\${{ steps.dataset.id }}" } } }
  beside: { use: api.call, with: { operation: maps.user.get, input: {} }, undo: { use: api.call, with: { operation: maps.projects.get, input: { project_id: 00000000-0000-4000-8000-000000000000 } } } }
  wrong: { use: api.call, needs: [user, beside], with: { operation: maps.projects.get, input: { project_id: 00000000-0000-4000-8000-000000000000 } } }
onFailure: undo
`;

/** A failed run that is taken back by another, of which one step fails and one asks a person. */
const undone: Recording = async (world) => {
  const run = await world.start(takenBack, { dataset: newSlug('back') });
  await world.until(run, ({ view }) => view.undo?.state === 'approval');
  await world.portolan(['pause', run]);
  await world.until(`${run}.undo`, ({ view }) => view.paused !== undefined);
  await world.portolan(['resume', run]);
  await world.portolan(['approve', `${run}.undo`, 'undo_dataset']);
  await world.ended(run);
  return { run, beside: { undoing: `${run}.undo` } };
};

/** A run whose steps are runs, of which one waits for a person. */
const overOthers: Recording = async (world) => {
  await world.write('pipelines/below.yaml', below);
  const run = await world.start(above);
  const child = `${run}.each-1-one`;
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.portolan(['pause', run]);
  await world.until(child, ({ view }) => view.paused !== undefined);
  await world.portolan(['resume', run]);
  await world.portolan(['approve', child, 'ask']);
  await world.ended(run);
  return { run, beside: { below: child } };
};

const decided =
  (verb: 'approve' | 'reject'): Recording =>
  async (world) => {
    const { result } = await world.run(gated, { dataset: newSlug('gated') });
    await world.portolan([verb, result.run, 'ask', '--note', 'seen']);
    return result.run;
  };

const held =
  (operation: string, act: (world: World, run: string) => Promise<void>, text = gated): Recording =>
  async (world, source) => {
    const fault = await world.control.fault(operation, 1, { hold: 'before' });
    const run = await world.start(text, text === ingest ? { source, dataset: newSlug('held') } : { dataset: newSlug('held') });
    if (!(await world.control.held(fault.id))) throw new Error(`${operation} was not called`);
    await act(world, run);
    await world.control.release(fault.id);
    return run;
  };

const recordings: Record<string, Recording> = {
  ingest: async (world, source) => (await world.run(ingest, { source, dataset: newSlug('ingest') })).result.run,
  throttled: async (world, source) => {
    await world.control.fault('maps.tags.update', 1, { status: 429, retryAfter: 1 });
    return (await world.run(ingest, { source, dataset: newSlug('throttled') })).result.run;
  },
  reused: async (world, source) => {
    const { result } = await world.run(ingest, { source, dataset: newSlug('reused') });
    const { out } = await world.portolan(['rerun', result.run, '--from', 'tag', '--json']);
    return (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run;
  },
  failed: async (world, source) => {
    await world.control.fault('maps.data.addArrow', 1, { status: 403 });
    return (await world.run(ingest, { source, dataset: newSlug('failed') })).result.run;
  },
  'bad-output': async (world) => (await world.run(badOutput)).result.run,
  approved: decided('approve'),
  rejected: decided('reject'),
  expired: async (world) =>
    (await world.run(gated.replace('1h', '1s').replace('name: gated', 'name: expired'), { dataset: newSlug('expired') })).result.run,
  paused: held('maps.projects.create', async (world, run) => {
    await world.portolan(['pause', run]);
    await world.until(run, ({ view }) => view.paused !== undefined);
    await world.portolan(['resume', run]);
    await world.portolan(['approve', run, 'ask']).catch(() => undefined);
  }),
  // Two of the calls are refused: one is tried again, and the other turn fails by what it names.
  looped: async (world) => {
    await world.control.fault('maps.projects.create', 1, { status: 403 });
    return (await world.run(looped)).result.run;
  },
  'beside-gate': async (world) => {
    const run = await world.start(besideGate, { dataset: newSlug('beside') });
    await world.ended(run);
    return run;
  },
  queued: async (world) => {
    const dataset = newSlug('queued');
    const text = `${gated}concurrency: { when: queue }\n`;
    const holder = await world.start(text, { dataset });
    await world.until(holder, ({ view }) => view.state === 'approval');
    const run = await world.start(text, { dataset });
    await world.until(run, ({ view }) => view.state === 'queued');
    await world.portolan(['cancel', holder]);
    return { run, beside: { lock: lockIdOf(world.taskQueue, `local/${dataset}`) } };
  },
  // Its lock sees by itself that the holder has ended, and waits until nothing of it is sent any more.
  'after-terminated': async (world) => {
    const dataset = newSlug('terminated');
    const text = `${gated}concurrency: { when: queue }\n`;
    const holder = await world.start(text, { dataset });
    await world.until(holder, ({ view }) => view.state === 'approval');
    const run = await world.start(text, { dataset });
    await world.until(run, ({ view }) => view.state === 'queued');
    await world.client.workflow.getHandle(holder).terminate();
    return { run, beside: { 'lock-of-terminated': lockIdOf(world.taskQueue, `local/${dataset}`) } };
  },
  // refused-as-failed.bin is the same run by the code that knew no such end: alerted to, and reported as a failed one.
  refused: async (world) => {
    const dataset = newSlug('refused');
    const holder = await world.start(gated, { dataset });
    await world.until(holder, ({ view }) => view.state === 'approval');
    const run = await startSecond(world, `local/${dataset}`, { on: ['failed'], to: ['ops'] });
    await world.ended(run);
    await world.portolan(['cancel', holder]);
    return run;
  },
  above: overOthers,
  undone,
  cancelled: held('maps.data.addArrow', async (world, run) => void (await world.portolan(['cancel', run])), ingest),
  'over-beneath': beneathKey,
  watched,
  scheduled,
};

const only = process.argv.slice(2);
const folder = folderOf(version);
await mkdir(folder, { recursive: true });
const dir = await mkdtemp(join(tmpdir(), 'portolan-record-'));
const { path: binary } = await findTemporal({ dir: fileURLToPath(new URL('../../.portolan', import.meta.url)), report: () => undefined });

await using bundle = await createBundle();
await record({}, Object.entries(recordings));
// The server suggests to continue as new after so many events.
await record({ 'limit.historyCount.suggestContinueAsNew': 25 }, [['continued', recordings['ingest']!]]);
await rm(dir, { recursive: true, force: true, maxRetries: 3 });

async function record(settings: Record<string, number>, wanted: [string, Recording][]): Promise<void> {
  const chosen = wanted.filter(([name]) => only.length === 0 || only.includes(name));
  if (chosen.length === 0) return;
  const server = await startTemporal({ dir, binary, headless: true, settings });
  try {
    await using world = await createWorld({ temporal: server.address, bundle: bundle.path });
    const source = await world.write('movies.json', moviesOf(50));
    for (const [name, make] of chosen) {
      const made = await make(world, source);
      const { run, beside } = typeof made === 'string' ? { run: made, beside: {} } : made;
      const open = await world.until(run, ({ view, source: from }) => from === 'result' || view.state === 'approval');
      if (open.source !== 'result' && name !== 'expired') await world.portolan(['approve', run, 'ask', '--note', 'recorded']);
      const { view } = await world.ended(run);
      const histories = await world.histories(run);
      for (const [at, history] of histories.entries())
        await write(histories.length === 1 ? name : `${name}-${at + 1}`, history, `run ${view.state}`);
      for (const [other, workflowId] of Object.entries(beside)) {
        const handle = world.client.workflow.getHandle(workflowId);
        await handle.result().catch(() => undefined);
        await write(other, await handle.fetchHistory(), `beside ${name}`);
      }
    }
  } finally {
    await server.stop();
  }
}

async function write(name: string, history: Recorded, what: string): Promise<void> {
  await writeFile(join(folder, `${name}.bin`), History.encode(anonymous(history)).finish());
  process.stdout.write(`${name}.bin: ${history.events?.length} events, ${what}\n`);
}
