import { rm, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalRow } from '../support/control.ts';
import { createWorld, newSlug, type World } from '../support/world.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { writeConnections } from '../support/connections.ts';
import { agree, countedOf, createCounting, words, type Counted } from './support-counters.ts';
import { createDraw } from './mistakes/draw.ts';

const moments = 50;
const rows = 6_000;
const items = 300;

/** Calls as small as these make of a chunk of points several, so that what an attempt has done of it is a part, and of the rows many chunks. */
const small = { rows: 500, tags: 500, deletions: 500 };

const index = new URL('../../index.ts', import.meta.url).href;
const sweep = (effect: string): string => `import { defineSweep, z } from ${JSON.stringify(index)};
export default defineSweep({
  name: 'prove.${effect}',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: '${effect}',
  chunk: 50,
  *items({ url, count }) {
    for (let id = 0; id < count; id++) yield { id: String(id), url };
  },
  async each({ id, url }, context) {
    await (await context.fetch(\`\${url}/\${id}\`, { method: 'POST' })).arrayBuffer();
  },
});
`;

const events = ['cancel', 'kill', 'kill, then cancel'] as const;
const works = ['append', 'tag', 'untag', 'delete', 'own, never', 'own, idempotent'] as const;
type Work = (typeof works)[number];

/** A step that is under way: what it does to the items that are done, and how its service is held at a moment. */
type Laid = {
  step: string;
  fate: string;
  text: string;
  params: Record<string, string>;
  /** Holds the nth call of the step from now on; `held` resolves while it is under way. */
  hold: (nth: number, when: 'before' | 'after') => Promise<{ held: () => Promise<void>; release: () => unknown }>;
  /** What the service has of it. */
  server: () => Promise<number>;
  calls: number;
  /** What waits for a person first. */
  gate?: string;
};

const dataset = `  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, columns: { n: n } } }
`;
const params = 'params: { dataset: { type: slug }, source: { type: path } }';
const map = `  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}" } }
  all: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { range: n, from: 0 } } }
`;

async function layer(world: World, counting: Awaited<ReturnType<typeof createCounting>>) {
  const source = await world.write(
    'rows.json',
    Array.from({ length: rows }, (_, n) => ({ key: `row-${n}`, n })),
  );
  const shared = { dataset: newSlug('shared'), source };
  const built = await world.run(`name: built\n${params}\nsteps:\n${dataset}${map}outputs: { map: "\${{ steps.map.id }}" }\n`, shared, [
    '-c',
    'small',
  ]);
  if (built.result.state !== 'done') throw new Error(`the map of the proof was not built: ${JSON.stringify(built.result)}`);
  const projection = built.result.outputs['map'] as string;
  const every = Array.from({ length: rows }, (_, n) => `row-${n}`);
  let tags = 0;

  const held =
    (operation: 'maps.data.addArrow' | 'maps.tags.update' | 'maps.data.delete'): Laid['hold'] =>
    async (nth, when) => {
      const { id } = await world.control.fault(operation, nth, { hold: when });
      return {
        async held() {
          if (!(await world.control.held(id))) throw new Error(`call ${nth} of ${operation} did not come in time`);
        },
        release: () => world.control.release(id),
      };
    };
  /** Items that calls of an operation have changed, by the journal. */
  const changedBy = async (operation: JournalRow['operation'], which: (row: JournalRow) => boolean): Promise<number> => {
    const { rows: journal } = await world.control.journal();
    return journal.reduce((sum, row) => sum + (row.operation === operation && which(row) ? row.changed : 0), 0);
  };

  return async (work: Work): Promise<Laid> => {
    if (work === 'append') {
      const own = { dataset: newSlug('append'), source };
      const since = Date.now();
      return {
        step: 'rows',
        fate: 'added',
        text: `name: counted\n${params}\nsteps:\n${dataset}`,
        params: own,
        hold: held('maps.data.addArrow'),
        calls: rows / small.rows,
        server: () => changedBy('maps.data.addArrow', ({ at }) => at >= since),
      };
    }
    if (work === 'tag' || work === 'untag') {
      const tag = `tag-${tags++}`;
      const [use, fate] = work === 'tag' ? (['add', 'tagged'] as const) : (['remove', 'untagged'] as const);
      if (work === 'untag')
        await world.api.tags.update({ projection_id: projection, tag_name: tag, ids: every, operation: 'add', id_field: 'id' });
      return {
        step: 'tag',
        fate,
        text: `name: counted\n${params}\nsteps:\n${dataset}${map}  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.all.points }}", ${use}: ${tag} } }\n`,
        params: shared,
        hold: held('maps.tags.update'),
        calls: rows / small.tags,
        // The API has no read for the points of a tag; the journal counts those that were changed, and the tag itself once.
        async server() {
          const changed = await changedBy('maps.tags.update', ({ subject, act }) => subject.endsWith(`/${tag}`) && act === use);
          return changed - (use === 'add' && changed > 0 ? 1 : 0);
        },
      };
    }
    if (work === 'delete') {
      const own = { dataset: newSlug('delete'), source };
      const since = Date.now();
      return {
        step: 'gone',
        gate: 'ok',
        fate: 'deleted',
        text: `name: counted\n${params}\nsteps:\n${dataset}${map}  ok: { use: gate.approve, needs: [all], with: { approves: [gone] } }
  gone: { use: data.delete, with: { dataset: "\${{ steps.rows.dataset }}", points: "\${{ steps.all.points }}" } }\n`,
        params: own,
        hold: held('maps.data.delete'),
        calls: rows / small.deletions,
        server: () => changedBy('maps.data.delete', ({ at }) => at >= since),
      };
    }
    counting.done.clear();
    return {
      step: 'all',
      fate: 'done',
      text: `name: counted\nsteps:\n  all: { use: prove.${work.slice(5)}, with: { url: "${counting.url}", count: ${items} } }\n`,
      params: {},
      hold: async (nth) => counting.hold(nth),
      calls: items,
      server: async () => counting.done.size,
    };
  };
}

/** Starts the pipeline and returns the run's id. */
async function started(world: World, { text, params: given, gate }: Laid): Promise<string> {
  const named = Object.entries(given).flatMap(([name, value]) => ['-p', `${name}=${value}`]);
  const { out, err } = await world.portolan(['run', await world.pipeline(text), '-c', 'small', '--detach', '--json', ...named]);
  const { run } = JSON.parse(out) as { run?: string };
  if (run === undefined) throw new Error(err);
  if (gate !== undefined) {
    await world.until(run, ({ view }) => view.state === 'approval');
    await world.portolan(['approve', run, gate]);
  }
  return run;
}

export const proof: Proof = {
  name: 'counters',
  sets: ['user'],
  what: `cancelled and killed at ${moments} drawn moments of a step: service, view, ledger and report count the same`,
  async run({ note, kept, rounds }) {
    await using bundle = await createBundle();
    await using counting = await createCounting();
    await using world = await createWorld({ bundle: bundle.path });
    await mkdir(join(world.dir, 'steps'), { recursive: true });
    for (const effect of ['never', 'idempotent']) await writeFile(join(world.dir, 'steps', `${effect}.mts`), sweep(effect));
    await writeConnections(world, { small: { batch: small, settleMs: 1_000, lagMs: 5_000 } });
    await world.worker.stop();
    await world.worker.start(0);
    const lay = await layer(world, counting);
    const draw = createDraw(20 + rounds);
    let differ = 0;
    let unknown = 0;
    const ends: { [end: string]: number } = {};
    let last: { run: string; counted: Counted; laid: Laid; server: number } | undefined;
    for (let at = 0; at < moments; at++) {
      const work = works[at % works.length]!;
      const event = events[Math.floor(at / works.length) % events.length]!;
      const laid = await lay(work);
      const nth = 1 + draw.below(laid.calls);
      const when = draw.pick(['before', 'after'] as const);
      const lateMs = draw.pick([0, 1_500]);
      const found = await kept.round(`${at} ${work}, ${event}`, async () => {
        const { held, release } = await laid.hold(nth, when);
        const run = await started(world, laid);
        const missed = await Promise.race([held(), world.ended(run).then(({ view }) => view)]);
        if (missed) throw new Error(`${work}: call ${nth} was not made: ${JSON.stringify(missed.error ?? missed.state)}`);
        if (event !== 'cancel') await world.worker.kill();
        if (event !== 'kill') await world.portolan(['cancel', run]);
        await sleep(lateMs);
        await release();
        if (event !== 'cancel') await world.worker.start(0);
        const { view } = await world.ended(run);
        return { run, state: view.state, counted: await countedOf(world, run, laid.step), server: await laid.server() };
      });
      const { counted, server, state, run } = found;
      ends[`${event}: ${state}`] = (ends[`${event}: ${state}`] ?? 0) + 1;
      const same = agree(counted, laid.fate, server);
      unknown += counted.ledger['unknown'] ?? 0;
      if (!same) differ++;
      note(
        `${same ? '' : 'DIFFERS: '}${work}, ${event} ${when} call ${nth}: ${state}; service ${server}, view ${words(counted.view)}, ledger ${words(counted.ledger)}${same ? '' : `, report ${words(counted.report)} (${run})`}`,
      );
      if ((counted.ledger[laid.fate] ?? 0) > 0) last = { run, counted, laid, server };
    }
    // A part of the ledger is lost.
    const { run, laid, server } = last!;
    await rm(world.store(run).path('items', laid.step), { recursive: true });
    const damaged = agree(await countedOf(world, run, laid.step), laid.fate, server);
    return [
      line(
        `${moments} moments: service, view, ledger and report that differ`,
        `${differ}; ${unknown} items unknown to all of them; ${words(ends)}`,
        '0',
        differ === 0,
      ),
      line('control, a ledger that was lost: agrees', damaged ? 'yes' : 'no', 'no', !damaged),
    ];
  },
};
