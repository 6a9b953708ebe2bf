import { condition, defineSignal, makeContinueAsNewFunc, setHandler, workflowInfo } from '@temporalio/workflow';
import { endedSignal, type Occasion, type RunEnd, type WatchInput, type Watched } from '../pipelines/notify.ts';
import { beginAlert } from './begin-alert.ts';

/** Events after which a watch continues as a new one. */
const mostEvents = 2_000;

/**
 * Watches the runs of one pipeline: alerts to the first that is done after one that failed, and where none has been done for too
 * long, each once. What the last run that ended says of alerts holds; the watch ends when there is nothing to wait for.
 */
export async function watchV1({ ends, knows: known }: WatchInput): Promise<void> {
  let knows = known;
  setHandler(defineSignal<[RunEnd]>(endedSignal), (end) => void ends.push(end));
  for (;;) {
    for (const end of ends.splice(0)) {
      const recovered = knows?.failed === true && end.state === 'done';
      knows = after(knows, end);
      if (recovered && end.notify.on.includes('recovered')) await alert('recovered', end, end);
    }
    if (ends.length > 0) continue;
    if (!knows || !waits(knows)) return;
    if (workflowInfo().historyLength > mostEvents) await makeContinueAsNewFunc<typeof watchV1>({})({ ends, knows });
    const { since, late, notify } = knows;
    const heard = (): boolean => ends.length > 0;
    if (late || notify.lateMs === undefined) await condition(heard);
    else if (!(await condition(heard, Math.max(1, Date.parse(since.at) + notify.lateMs - Date.now())))) {
      knows.late = true;
      await alert('late', since, knows);
    }
  }
}

function after(knows: Watched | undefined, end: RunEnd): Watched {
  const failed = end.state === 'failed';
  return {
    notify: end.notify,
    failed,
    since: failed ? (knows?.since ?? end) : end,
    late: failed ? (knows?.late ?? false) : false,
  };
}

const waits = ({ notify, failed }: Watched): boolean => notify.lateMs !== undefined || (failed && notify.on.includes('recovered'));

const alert = (on: Occasion['on'], { run, workflow }: RunEnd, { notify }: Pick<Watched, 'notify'>): Promise<void> =>
  beginAlert({ run, occasion: { id: `${run.id}/${on}`, on, at: new Date().toISOString(), workflow }, to: notify.to });
