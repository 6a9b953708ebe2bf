import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figuresOf } from '../../cli/demo/chaos/figures.ts';
import { effectsOf } from '../../cli/demo/chaos/account.ts';
import { scriptSide } from '../../cli/demo/chaos/script-side.ts';
import { makeTrouble } from '../../cli/demo/chaos/trouble.ts';
import { controlOf } from '../../cli/demo/control.ts';
import { spawnOwn } from '../../dev/processes.ts';
import type { ServiceReady } from '../../service/app.ts';
import { createStack, type Stack } from '../support/stack.ts';
import type { RunView } from '../../workflows/messages.ts';
import { line, type Line, type Proof } from './proof.ts';
import { killsOf, troubleAlong, type Trouble } from './support-along.ts';
import { agentPipeline, liftLimits, own, writeNotes } from './support-agents.ts';
import { openLimits } from '../support/lifted-limits.ts';
import { createBundle } from './support-bundle.ts';
import { startText, type StartedRun } from './support-run.ts';

const runMs = 7_200_000;

/** How much is asked of it. */
type Size = { items: number; kills: number; lost: number };

/** 1,000 items, 40 kills and 100 lost answers; what a gate has time for is a part of it. */
const sizeOf = (rounds: number, short: boolean): Size =>
  short ? { items: 40, kills: 3, lost: 6 } : { items: 1_000 * rounds, kills: 40 * rounds, lost: 100 * rounds };

const pipeline = (items: string): string =>
  agentPipeline(
    items,
    { followUps: [{ when: { says: 'No emails' }, prompt: 'Summarise the note in 1 sentence: {{text}}' }], turns: 2 },
    // Three hundred under way at a time: there is work for each of the kills to hit.
    { window: 3, tolerate: { failed: '100%', unknown: '100%' } },
  );

const pace = { from: 0, to: 3 };

/** Launches and follow-ups in a second, so that a run goes on while what was killed starts again. */
const perSecond = 20;

/** Of a service that has started: it has forgotten what was ordered. */
const ready = async (stack: Stack): Promise<void> => {
  await openLimits(stack.control);
  await stack.control.limit('instance/heavy', perSecond, 1);
  await stack.control.agents({ pace });
};

/** Launches and follow-ups of a run that loses answers: every second note has a follow-up. */
const troubleOf = ({ items, kills, lost }: Size): Trouble => ({
  effects: { launch: items, followup: items / 2 },
  kills,
  lost: { launch: Math.ceil(lost / 2), followup: Math.floor(lost / 2) },
});

/** A run of so many notes under a trouble: what has hit it, and how it ended. */
async function underTrouble(stack: Stack, name: string, items: number, trouble: Trouble) {
  const source = await writeNotes(stack, name, items);
  const begun = Promise.withResolvers<{ run: StartedRun; ended: Promise<RunView> }>();
  const met = await troubleAlong(
    stack,
    trouble,
    () => ready(stack),
    async () => {
      const run = await startText(stack, pipeline(source), {}, own);
      begun.resolve({ run, ended: run.ended(runMs) });
      return begun.promise;
    },
  );
  const { run, ended } = await begun.promise;
  return { met, run, view: await ended };
}

const text = (many: object): string =>
  Object.entries(many)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** The script of `portolan demo chaos` on a service of its own: what that has recorded. */
async function byHand({ dir }: Stack, { items, kills, lost }: Size) {
  const data = join(dir, 'by-hand');
  await mkdir(data);
  await writeFile(
    join(data, 'notes.json'),
    JSON.stringify(
      Array.from({ length: items }, (_, at) => ({
        id: `s-${at}`,
        text: at % 2 === 0 ? `Write to a${at}@example.com.` : `Nothing in ${at}.`,
      })),
    ),
  );
  const service = spawnOwn<ServiceReady>({
    entry: 'service/main',
    args: ['--data', join(data, 'service'), '--json', '--control', '--embedding', 'lexical'],
    log: join(data, 'service.log'),
    quiet: true,
  });
  const ending = new AbortController();
  try {
    const { url, adminKeys } = await service.ready;
    const side = scriptSide(data, { url, key: adminKeys.instance, control: controlOf(url, ending.signal) });
    const size = { items, kills, lost: Math.ceil(lost / 2), limit: { count: 1_000_000, seconds: 60 } };
    const trouble = await makeTrouble(
      side.control,
      size,
      () => side.kill(),
      () => undefined,
    );
    const begun = Date.now();
    await side.run(ending.signal);
    return await figuresOf({ side, trouble, begun, ended: Date.now() }, items);
  } finally {
    ending.abort();
    await service.stop(5_000);
  }
}

export const proof: Proof = {
  name: 'agents',
  sets: ['agents'],
  what: 'an agent for each row while workers, service and Temporal are killed and answers are lost: launched twice 0, lost 0, follow-ups twice 0; with intents off both are seen twice',
  async run({ note, rounds, short }) {
    const size = sizeOf(rounds, short);
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const lines: Line[] = [];

    await liftLimits(stack);
    await ready(stack);
    const before = (await stack.control.journal()).rows.length;
    const trouble = troubleOf(size);
    const { met, view, run } = await underTrouble(stack, 'held', size.items, trouble);
    const rows = (await stack.control.journal()).rows.slice(before);
    const [launches, followUps] = [effectsOf(rows, 'launch'), effectsOf(rows, 'followup')];
    const done = (await run.store.readItems({ step: 'ask', status: 'done' })).length;
    note(`${size.items} items, kills ${text(met.kills)}, lost ${text(met.lost)}: ${JSON.stringify(view.outputs ?? view.error)}`);
    lines.push(
      line(
        'kills, each with a launch or follow-up under way',
        text(met.kills),
        text(killsOf(size.kills)),
        text(met.kills) === text(killsOf(size.kills)),
      ),
      line(
        'answers lost after their effect',
        text(met.lost),
        text(trouble.lost),
        met.lost.launch >= trouble.lost.launch && met.lost.followup >= trouble.lost.followup,
      ),
      line(
        'launched twice',
        `${launches.twice} of ${launches.count}`,
        `0 of ${size.items}`,
        launches.twice === 0 && launches.count === size.items,
      ),
      line('lost', `${size.items - done} of ${size.items}`, '0', done === size.items && view.state === 'done'),
      line(
        'follow-ups sent twice',
        `${followUps.twice} of ${followUps.count}`,
        `0 of ${size.items / 2}`,
        followUps.twice === 0 && followUps.count === size.items / 2,
      ),
    );

    await stack.control.clear();
    await stack.worker.stop();
    await stack.worker.start(0, { without: ['lookUp'] });
    // A second follow-up is taken where the turn of the first one is over.
    await stack.control.agents({ pace: { from: 0, to: 0 } });
    const blindFrom = (await stack.control.journal()).rows.length;
    const few = troubleOf({ items: 20, kills: 0, lost: 6 });
    const { met: blindMet } = await underTrouble(stack, 'blind', 20, few);
    const blindRows = (await stack.control.journal()).rows.slice(blindFrom);
    const [launchedTwice, sentTwice] = [effectsOf(blindRows, 'launch').twice, effectsOf(blindRows, 'followup').twice];
    lines.push(
      line(
        `control, intents switched off: 20 items, answers lost: ${text(blindMet.lost)}`,
        `launched twice ${launchedTwice}, follow-ups sent twice ${sentTwice}`,
        'both > 0',
        launchedTwice > 0 && sentTwice > 0,
      ),
    );
    const script = await byHand(stack, size);
    note(`the script of docs/chaos.md: ${JSON.stringify(script)}`);
    lines.push(
      line(
        'beside it, the script written by hand',
        `killed ${script.killed} times, ${script.answersLost} answers lost: launched twice ${script.launchedTwice} of ${script.launched}, follow-ups twice ${script.followUpsTwice}, lost ${script.lost}, paid twice ${script.paidTwiceUsd.toFixed(4)} of ${script.paidUsd.toFixed(4)} $`,
        'launched twice > 0',
        script.launchedTwice > 0,
      ),
    );
    return lines;
  },
};
