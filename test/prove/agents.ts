import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf } from '../../cli/demo/chaos/figures.ts';
import { effectsOf } from '../../cli/demo/chaos/account.ts';
import { scriptSide } from '../../cli/demo/chaos/script-side.ts';
import { makeTrouble } from '../../cli/demo/chaos/trouble.ts';
import { controlOf } from '../../cli/demo/control.ts';
import { spawnOwn } from '../../dev/processes.ts';
import type { ServiceReady } from '../../service/app.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { agentPipeline, liftLimits, openLimits, own, writeNotes } from './support-agents.ts';
import { createBundle } from './support-bundle.ts';
import { startText } from './support-run.ts';

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
    { tolerate: { failed: '100%', unknown: '100%' } },
  );

const pace = { from: 0, to: 3 };

/** The service has forgotten what was ordered. */
const ready = async (stack: Stack): Promise<void> => {
  await openLimits(stack);
  await stack.control.agents({ pace });
};

/** Answers are lost after their effect, spread over the launches and follow-ups of a run. */
const loseAnswers = async ({ control }: Stack, items: number, lost: number): Promise<void> => {
  const [launches, followUps] = [Math.ceil(lost / 2), Math.floor(lost / 2)];
  for (let at = 0; at < launches; at++)
    await control.faultIfCalled('instance.agents.launch', 1 + Math.floor((at * items) / launches), { lose: 'answer' });
  for (let at = 0; at < followUps; at++)
    await control.faultIfCalled('instance.agents.followup', 1 + Math.floor((at * items) / 2 / followUps), { lose: 'answer' });
};

const firedIn = async ({ control }: Stack): Promise<number> => (await control.faults()).reduce((sum, { fired }) => sum + fired, 0);

/** Kills worker, service and Temporal server in turn, each time that so many further launches have been carried out. */
async function killAlong(stack: Stack, { items, kills, lost }: Size, from: number): Promise<{ killed: number; fired: number }> {
  let fired = 0;
  let killed = 0;
  for (; killed < kills; killed++) {
    const due = Math.floor(((killed + 1) * items) / (kills + 1));
    for (;;) {
      const { rows } = await stack.control.journal();
      if (effectsOf(rows.slice(from), 'launch').count >= due) break;
      await sleep(50);
    }
    if (killed % 3 === 0) {
      await stack.worker.kill();
      await stack.worker.start(0);
      continue;
    }
    if (killed % 3 === 1) {
      await stack.temporal.kill();
      await stack.temporal.start();
      continue;
    }
    fired += await firedIn(stack);
    await stack.service.kill();
    await stack.service.start();
    await ready(stack);
    // The service has forgotten what was ordered.
    await loseAnswers(stack, items - due, Math.max(0, lost - fired));
  }
  return { killed, fired };
}

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
    await stack.control.agents({ pace });
    const before = (await stack.control.journal()).rows.length;
    await loseAnswers(stack, size.items, size.lost);
    const run = await startText(stack, pipeline(await writeNotes(stack, 'held', size.items)), {}, own);
    const [killed, view] = await Promise.all([killAlong(stack, size, before), run.ended(runMs)]);
    const fired = killed.fired + (await firedIn(stack));
    const rows = (await stack.control.journal()).rows.slice(before);
    const [launches, followUps] = [effectsOf(rows, 'launch'), effectsOf(rows, 'followup')];
    const done = (await run.store.readItems({ step: 'ask', status: 'done' })).length;
    note(`${size.items} items, ${killed.killed} kills, ${fired} answers lost: ${JSON.stringify(view.outputs ?? view.error)}`);
    lines.push(
      line(
        'kills and lost answers',
        `${killed.killed} kills, ${fired} lost`,
        `${size.kills} kills, lost > 0`,
        killed.killed === size.kills && fired > 0,
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
    const blindFrom = (await stack.control.journal()).rows.length;
    await loseAnswers(stack, 20, 6);
    const blind = await startText(stack, pipeline(await writeNotes(stack, 'blind', 20)), {}, own);
    await blind.ended(runMs);
    const blindRows = (await stack.control.journal()).rows.slice(blindFrom);
    const [launchedTwice, sentTwice] = [effectsOf(blindRows, 'launch').twice, effectsOf(blindRows, 'followup').twice];
    lines.push(
      line(
        'control, intents switched off: 20 items, 6 answers lost',
        `launched twice ${launchedTwice}, follow-ups sent twice ${sentTwice}`,
        'launched twice > 0',
        launchedTwice > 0,
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
