import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStack, type Stack } from '../support/stack.ts';
import type { JournalRow } from '../support/control.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { startText } from './support-run.ts';

const runMs = 1_800_000;

/** How much is asked of it. */
type Size = { items: number; kills: number; lost: number };

/** Of one round; ten are 1,000 items, 40 kills and 100 lost answers. */
const sizeOf = (rounds: number): Size => ({ items: 100 * rounds, kills: 4 * rounds, lost: 10 * rounds });

const pipeline = (items: string): string => `
name: agents
steps:
  ask:
    use: agent.run
    tolerate: { failed: 100%, unknown: 100% }
    with:
      items: ${items}
      key: id
      prompt: "Extract the emails of this note: {{text}}"
      followUps: [{ when: { says: No emails }, prompt: "Summarise the note in 1 sentence: {{text}}" }]
      turns: 2
      everySeconds: 1
outputs: { statuses: "\${{ steps.ask.statuses }}" }
`;

/** Every second note has no email, so that its agent is sent a follow-up. */
async function writeItems(stack: Stack, name: string, count: number): Promise<string> {
  const path = join(stack.dir, `${name}.csv`);
  const rows = Array.from(
    { length: count },
    (_, at) => `${name}-${at},${at % 2 === 0 ? `Write to a${at}@example.com.` : `Nothing in note ${at}.`}`,
  );
  await writeFile(path, `id,text\n${rows.join('\n')}\n`);
  return path;
}

const ready = async ({ control }: Stack): Promise<void> => {
  for (const limit of ['instance/standard', 'instance/heavy', 'instance/write']) await control.limit(limit, 1_000_000, 60);
  await control.agents({ pace: { from: 0, to: 3 } });
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

const ofAgents = (rows: readonly JournalRow[], operation: string): JournalRow[] =>
  rows.filter((row) => row.operation === `instance.agents.${operation}` && row.changed > 0);

/** Rows beyond the first of each intent on one subject: what was done twice. */
const twice = (rows: readonly JournalRow[]): number =>
  rows.length - new Set(rows.map(({ subject, intent }) => `${subject} ${intent}`)).size;

/** Kills worker and service in turn, each time that so many further launches have been carried out. */
async function killAlong(stack: Stack, { items, kills, lost }: Size, from: number): Promise<{ killed: number; fired: number }> {
  let fired = 0;
  let killed = 0;
  for (; killed < kills; killed++) {
    const due = Math.floor(((killed + 1) * items) / (kills + 1));
    for (;;) {
      const { rows } = await stack.control.journal();
      if (ofAgents(rows.slice(from), 'launch').length >= due) break;
      await sleep(50);
    }
    if (killed % 2 === 0) {
      await stack.worker.kill();
      await stack.worker.start(0);
      continue;
    }
    fired += await firedIn(stack);
    await stack.service.kill();
    await stack.service.start();
    await ready(stack);
    // The service has forgotten what was ordered.
    await loseAnswers(stack, items, Math.ceil(lost / kills));
  }
  return { killed, fired };
}

export const proof: Proof = {
  name: 'agents',
  sets: ['agents'],
  what: 'an agent for each row while workers and service are killed and answers are lost: launched twice 0, lost 0, follow-ups twice 0; with intents off both are seen twice',
  async run({ note, rounds }) {
    const size = sizeOf(rounds);
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const lines: Line[] = [];

    await ready(stack);
    const before = (await stack.control.journal()).rows.length;
    await loseAnswers(stack, size.items, Math.ceil(size.lost / 2));
    const run = await startText(stack, pipeline(await writeItems(stack, 'held', size.items)));
    const [killed, view] = await Promise.all([killAlong(stack, size, before), run.ended(runMs)]);
    const fired = killed.fired + (await firedIn(stack));
    const rows = (await stack.control.journal()).rows.slice(before);
    const [launches, followUps] = [ofAgents(rows, 'launch'), ofAgents(rows, 'followup')];
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
        `${twice(launches)} of ${launches.length}`,
        `0 of ${size.items}`,
        twice(launches) === 0 && launches.length === size.items,
      ),
      line('lost', `${size.items - done} of ${size.items}`, '0', done === size.items && view.state === 'done'),
      line(
        'follow-ups sent twice',
        `${twice(followUps)} of ${followUps.length}`,
        `0 of ${size.items / 2}`,
        twice(followUps) === 0 && followUps.length === size.items / 2,
      ),
    );

    await stack.control.clear();
    await stack.worker.stop();
    await stack.worker.start(0, { without: ['lookUp'] });
    const blindFrom = (await stack.control.journal()).rows.length;
    await loseAnswers(stack, 20, 6);
    const blind = await startText(stack, pipeline(await writeItems(stack, 'blind', 20)));
    await blind.ended(runMs);
    const blindRows = (await stack.control.journal()).rows.slice(blindFrom);
    const [launchedTwice, sentTwice] = [twice(ofAgents(blindRows, 'launch')), twice(ofAgents(blindRows, 'followup'))];
    lines.push(
      line(
        'control, intents switched off: 20 items, 6 answers lost',
        `launched twice ${launchedTwice}, follow-ups sent twice ${sentTwice}`,
        'launched twice > 0',
        launchedTwice > 0,
      ),
    );
    return lines;
  },
};
