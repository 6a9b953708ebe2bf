import { createStack, type Stack } from '../support/stack.ts';
import { unlocked } from '../support/unlocked.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { flights, flightsFile } from './support-flights.ts';
import { startText } from './support-run.ts';

const lost = [
  { what: 'project', many: 'projects', operation: 'maps.projects.create' },
  { what: 'index', many: 'indices', operation: 'maps.indices.create' },
] as const;

/**
 * One run in which the answer of the creation is lost after its effect: whether it was, how many things came of it by the
 * service's own record, and whether the run ended well. A run that makes a second project sees that its slug is taken and fails.
 */
async function loseAnswer(
  stack: Stack,
  operation: string,
  slug: string,
  reconcile: boolean,
): Promise<{ fired: number; made: number; done: boolean; reconciled: string[] }> {
  await stack.control.clear();
  const before = (await stack.control.journal()).rows.length;
  const { id } = await stack.control.fault(operation, 1, { lose: 'answer' });
  const second = reconcile ? undefined : await stack.control.fault(operation, 2, { hold: 'before' });
  const run = await startText(stack, flights, { source: flightsFile('2k'), dataset: slug });
  if (second) {
    await stack.control.held(second.id);
    // While the first index is built a second one is refused: then there is no repeat to see.
    for (const { id } of (await stack.api.projects.list({})).projects) await unlocked(stack.api, id);
    await stack.control.release(second.id);
  }
  const view = await run.ended();
  const fired = (await stack.control.faults()).find((fault) => fault.id === id)?.fired ?? 0;
  const { rows } = await stack.control.journal();
  const events = await run.store.events();
  return {
    fired,
    made: rows.slice(before).filter((row) => row.operation === operation).length,
    done: view.state === 'done',
    reconciled: events.filter((event) => event.kind === 'reconcile' && event.cause.startsWith('looked up')).map((event) => event.cause),
  };
}

export const proof: Proof = {
  name: 'lost-answers',
  sets: ['short', 'shape'],
  what: 'the answer of a creation is lost after its effect: one thing is made, and two where nothing is looked up',
  async run({ rounds }) {
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const lines: Line[] = [];
    for (const reconcile of [true, false]) {
      if (!reconcile) {
        await stack.worker.stop();
        await stack.worker.start(0, { without: ['lookUp'] });
      }
      const wanted = reconcile ? 1 : 2;
      for (let at = 0; at < (reconcile ? rounds : 1); at++) {
        for (const { what, many, operation } of lost) {
          const slug = `lost-${what}-${reconcile ? 'found' : 'blind'}-${at}`;
          const made = await loseAnswer(stack, operation, slug, reconcile);
          const count = made.made;
          lines.push(
            line(
              `${reconcile ? 'answer' : 'control, reconcile switched off: answer'} of ${operation} lost`,
              `${made.fired} answer lost, ${count} ${count === 1 ? what : many} made${made.reconciled[0] ? `, ${made.reconciled[0]}` : ''}`,
              `lost 1, made ${wanted}`,
              made.fired === 1 && count === wanted && (made.done || !reconcile),
            ),
          );
        }
      }
      const { summary } = await stack.control.journal();
      lines.push(
        line(
          `journal${reconcile ? '' : ' with reconcile switched off'}`,
          `repeated ${summary.repeated}`,
          reconcile ? 'repeated 0' : 'repeated 2',
          summary.repeated === (reconcile ? 0 : lost.length),
        ),
      );
    }
    return lines;
  },
};
