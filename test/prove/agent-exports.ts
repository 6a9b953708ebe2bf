import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readResults } from '../../store/results.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { line, type Proof } from './proof.ts';
import { agentPipeline, liftLimits, own, writeNotes } from './support-agents.ts';
import { createBundle } from './support-bundle.ts';
import { startText, type StartedRun } from './support-run.ts';

/** Exports that are under way at a time: as many items as a chunk works on. */
const atOnce = 8;

/** Exports that are let through, once in ten times, before the next are held: those that were asked for again, of which none is held for ever. */
const letThrough = 2 * atOnce;

/** Lets the URLs of so many exports end between the answer that names them and the reading of the file. */
async function expire({ control }: Stack, exports: number): Promise<number> {
  let ended = 0;
  for (let rounds = 1; ended < exports; rounds++) {
    const { id } = await control.faultIfCalled('instance.agents.export', rounds % 10 === 0 ? 1 + letThrough : 1, { hold: 'after' }, atOnce);
    if (!(await control.held(id, 60_000))) break;
    await control.clock(301 * rounds);
    const { fired } = (await control.faults()).find((fault) => fault.id === id)!;
    ended += fired;
    await control.release(id);
  }
  return ended;
}

/** Items whose folder has the table of the agent as a file. */
async function complete(run: StartedRun, results: string): Promise<number> {
  let whole = 0;
  for await (const { folder } of readResults(run.store, results)) {
    const names = await readdir(join(String(folder), 'artifacts')).catch(() => []);
    if (names.some((name) => name.endsWith('.csv'))) whole++;
  }
  return whole;
}

export const proof: Proof = {
  name: 'agent-exports',
  sets: ['agents'],
  what: '200 artifacts whose URLs end before they are read: 200 are kept whole',
  async run({ note, short }) {
    const items = short ? 12 : 200;
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    await liftLimits(stack);
    await stack.control.agents({ pace: { from: 0, to: 0 } });
    const text = agentPipeline(await writeNotes(stack, 'tables', items), {
      prompt: 'Extract the emails and numbers of this note as a table: {{text}}',
    });
    const run = await startText(stack, text, {}, own);
    const [ended, view] = await Promise.all([expire(stack, items), run.ended(1_800_000)]);
    if (view.state !== 'done') throw new Error(`the run ended ${view.state}: ${view.error?.message}`);
    const whole = await complete(run, view.outputs?.['results'] as string);
    const asked = (await stack.control.requests()).rows.filter(({ operation }) => operation === 'instance.agents.export').length;
    note(`${asked} exports asked for, ${ended} URLs ended before they were read`);
    await stack.control.clock(0);
    const read = await readTooLate(stack);
    return [
      line('URLs that had ended', ended, `≥ ${items}`, ended >= items),
      line('artifacts kept whole', `${whole} of ${items}`, `${items}`, whole === items && view.state === 'done'),
      line('control, a URL that is read after its five minutes', read, '403', read === 403),
    ];
  },
};

/** What a client sees that keeps the URL and reads it later. */
async function readTooLate({ instance, control }: Stack): Promise<number> {
  const { data } = await instance.agents.list({ limit: 1 });
  const [agent] = data;
  const { artifacts } = await instance.agents.get({ id: agent!.id });
  const { url } = await instance.agents.export({ id: agent!.id, artifactId: artifacts![0]!.id, format: 'csv' });
  await control.clock(301);
  const { status } = await fetch(url);
  await control.clock(0);
  return status;
}
