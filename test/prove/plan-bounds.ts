import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { clientProcess } from '../../client/refusals-read.ts';
import { compileFile } from '../../cli/start/compile-file.ts';
import { lendTables } from '../../cli/start/lent-tables.ts';
import { forecastFile } from '../../cli/start/forecast-file.ts';
import { forecastRun } from '../../cli/start/forecast-run.ts';
import { openProject, type OpenProject } from '../../cli/start/open-project.ts';
import { loadConfig } from '../../config/load.ts';
import type { Forecast } from '../../pipelines/forecast/forecast.ts';
import type { PlannedCalls } from '../../pipelines/step.ts';
import type { Compared } from '../../runs/compare.ts';
import { decide } from '../../runs/control.ts';
import { readCompared } from '../../runs/read-compared.ts';
import { findRun } from '../../runs/find.ts';
import type { RunView } from '../../workflows/messages.ts';
import { heldAgainst, outsideOf, type Held } from '../support/held-against.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { createDraw } from './mistakes/draw.ts';
import { createDrawing, small, type Drawn } from './plan-bounds/draw-pipelines.ts';
import { createTill, ownSteps } from './plan-bounds/own-steps.ts';
import { writeTable } from './plan-bounds/tables.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { writeConnections } from '../support/connections.ts';

/** `deleted`: rows that deletions of the run have changed; `charged`: what the till was asked for; `compared`: the run as `plan --compare` holds it against its plan. */
type Round = {
  compared: Compared;
  drawn: Drawn;
  forecast: Forecast;
  sent: string[];
  deleted: number;
  charged: number;
  view: RunView;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

type Till = Awaited<ReturnType<typeof createTill>>;

/** Approves each gate as soon as it waits. */
async function approve(stack: Stack, run: string, gates: readonly string[], ended: AbortSignal): Promise<void> {
  const place = { client: stack.client, storeRoot: join(stack.state, 'runs') };
  const location = await findRun(place, run);
  const open = new Set(gates);
  while (open.size > 0 && !ended.aborted)
    for (const step of open)
      await decide(place, location, { step, approve: true, who: 'prove', note: '' }).then(
        () => open.delete(step),
        () => new Promise((resolve) => setTimeout(resolve, 100)),
      );
}

/** One drawn pipeline: planned, then run; the requests are those of the worker alone. */
async function carryOut(stack: Stack, project: OpenProject, till: Till, drawn: Drawn, number: number): Promise<Round> {
  for (const table of drawn.tables) await writeTable(stack.dir, table);
  const file = join(stack.dir, `drawn-${number}.yaml`);
  await writeFile(file, drawn.text);
  const config = await loadConfig(stack.dir);
  await using tables = lendTables();
  const compiled = await compileFile({ cwd: stack.dir, options: { connection: 'small' } }, config, file, { tables });
  const { forecast } = await forecastFile(compiled, config, { tables, signal: new AbortController().signal });
  const deletedRows = async (): Promise<number> =>
    (await stack.control.journal()).rows.reduce((sum, { operation, changed }) => sum + (operation === 'maps.data.delete' ? changed : 0), 0);
  const before = (await stack.control.requests()).rows.length;
  const [deleted, charged] = [await deletedRows(), till.charged()];
  const { run } = await project.start(file, {}, { connection: 'small' });
  const over = new AbortController();
  const approved = approve(stack, run, drawn.gates, over.signal);
  const view = await project.ended(run, { signal: AbortSignal.timeout(300_000) });
  over.abort();
  await approved;
  const rows = (await stack.control.requests()).rows.slice(before).filter(({ process }) => process !== clientProcess);
  return {
    drawn,
    forecast,
    sent: rows.map(({ operation }) => operation),
    deleted: (await deletedRows()) - deleted,
    charged: till.charged() - charged,
    compared: await compared(stack, run, view),
    view,
  };
}

/** The most of some kinds of acts in a plan. */
const mostActs = ({ irreversible }: Forecast, ...kinds: readonly string[]): number =>
  irreversible.reduce((sum, { kind, most }) => sum + (kinds.includes(kind) ? (most ?? Infinity) : 0), 0);

const isWithinActs = ({ forecast, deleted, charged }: Round): boolean =>
  deleted <= mostActs(forecast, 'rows deleted', 'rows replaced') && charged <= mostActs(forecast, 'charge');

async function compared(stack: Stack, run: string, view: RunView): Promise<Compared> {
  const store = pathToFileURL(join(stack.state, 'runs', run)).href;
  const planned = await forecastRun(store, await loadConfig(stack.dir), {
    view: async () => view,
    signal: new AbortController().signal,
  });
  if (!planned) throw new Error(`${run} has left no plan`);
  return readCompared({ store, view }, planned);
}

/** Does the comparison count what the service has received, all of it within the plan? */
function isCompared({ compared: { steps, acts, outside: wrong }, sent, charged }: Round): boolean {
  const counted = (operation: string): number =>
    sum(steps.flatMap(({ calls }) => calls.map((call) => (call.operation === operation ? call.sent : 0))));
  const charges = sum(acts.map(({ kind, done }) => (kind === 'charge' ? done : 0)));
  return (
    wrong === 0 &&
    charges === charged &&
    [...new Set(sent)].every((each) => counted(each) === sent.filter((other) => other === each).length)
  );
}

const shown = (held: readonly Held[]): string =>
  held
    .slice(0, 4)
    .map(({ operation, sent, min, max }) => `; ${operation} sent ${sent}, planned ${min} to ${max ?? '∞'}`)
    .join('');

const isSeveralAdditions = ({ operation, min }: PlannedCalls): boolean => operation === 'maps.data.addArrow' && min > 1;

/** Plans that are wrong must be found, of every run that does what they are wrong about. */
function control(
  all: readonly Round[],
  what: string,
  wrong: (call: PlannedCalls) => PlannedCalls[],
  concerned: (round: Round) => boolean,
): Line {
  const those = all.filter(concerned);
  const found = those.filter(({ forecast, sent }) => {
    const steps = forecast.steps.map((step) => ({ ...step, calls: step.calls.flatMap(wrong) }));
    return outsideOf({ steps }, sent).length > 0;
  });
  return line(
    `control: plans with ${what}, found`,
    `${found.length} of ${those.length}`,
    'all',
    those.length > 0 && found.length === those.length,
  );
}

export const proof: Proof = {
  name: 'plan-bounds',
  sets: ['user'],
  what: '60 runs of drawn pipelines: what the service receives is within the plan, operation by operation, and what the plan does not know is what nobody could know',
  async run({ note, rounds, short }) {
    await using bundle = await createBundle();
    await using stack = await createStack({
      bundle: bundle.path,
      async prepare(dir) {
        await mkdir(join(dir, 'steps'));
        for (const [name, text] of Object.entries(ownSteps)) await writeFile(join(dir, 'steps', name), text);
      },
    });
    await writeConnections(stack, { small: { batch: small } });
    await stack.worker.stop();
    await stack.worker.start(0);
    await using till = await createTill();
    await using project = await openProject({ cwd: stack.dir });
    const draw = createDrawing(createDraw(20_261_122 + rounds), { till: till.url });
    const count = short ? 6 : 60;
    const all: Round[] = [];
    for (let number = 0; number < count; number++) {
      const round = await carryOut(stack, project, till, draw(), number);
      all.push(round);
      const wrong = outsideOf(round.forecast, round.sent);
      const unknown = heldAgainst(round.forecast, []).filter(({ max }) => max === null);
      note(
        `${number} ${round.view.state} ${round.view.error?.message ?? ''} ${round.drawn.uses.join(' ')}: ${round.sent.length} requests${shown(wrong)}${unknown.map(({ operation, because }) => `; ${operation}: ${because}`).join('')}`,
      );
    }
    const right = all.filter(({ forecast, sent }) => outsideOf(forecast, sent).length === 0);
    const entries = all.flatMap(({ forecast, sent }) => heldAgainst(forecast, sent));
    const unknown = entries.filter(({ max }) => max === null);
    const several = all.flatMap(({ forecast }) => forecast.steps).filter(({ calls }) => calls.some(isSeveralAdditions)).length;
    const exact = entries.filter(({ min, max }) => min === max);
    const lines: Line[] = [
      line(
        'runs that ended well',
        all.filter(({ view }) => view.state === 'done').length,
        `${count}`,
        all.every(({ view }) => view.state === 'done'),
      ),
      line('runs with every operation inside its planned bounds', `${right.length} of ${count}`, `${count}`, right.length === count),
      line(
        'runs without a deletion or charge outside the plan',
        `${all.filter(isWithinActs).length} of ${count}; ${sum(all.map(({ deleted }) => deleted))} rows deleted, ${sum(all.map(({ charged }) => charged))} charges`,
        `${count}, of some`,
        all.every(isWithinActs) && all.some(({ deleted }) => deleted > 0) && all.some(({ charged }) => charged > 0),
      ),
      line(
        'runs of which plan --compare counts what the service received',
        `${all.filter(isCompared).length} of ${count}`,
        `${count}`,
        all.every(isCompared),
      ),
      line(
        'entries of these plans without an upper bound',
        `${unknown.length} of ${entries.length}${[...new Set(unknown.map(({ operation, because }) => `; ${operation}: ${because}`))].join('')}`,
        '0: each of these can be known',
        unknown.length === 0,
      ),
      line('steps that send their rows in several additions', several, '> 0, or nothing was shown of them', several > 0),
      line('entries that are exact', `${exact.length} of ${entries.length}`, '≥ 40 %', exact.length >= 0.4 * entries.length),
      control(
        all,
        'the deletions left out',
        (call) => (call.operation === 'maps.data.delete' ? [] : [call]),
        ({ sent }) => sent.includes('maps.data.delete'),
      ),
      control(
        all,
        'every exact number one less',
        (call) => [call.min === call.max && call.max > 0 ? { ...call, min: call.min - 1, max: call.max - 1 } : call],
        ({ forecast }) => forecast.steps.some(({ calls }) => calls.some(({ min, max }) => min === max && max > 0)),
      ),
    ];
    return lines;
  },
};
