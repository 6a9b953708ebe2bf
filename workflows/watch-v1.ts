import { condition, defineSignal, makeContinueAsNewFunc, setHandler, workflowInfo } from '@temporalio/workflow';
import { endedSignal, scheduledSignal, type Occasion, type RunEnd, type ScheduleNews, type WatchInput } from '../pipelines/notify.ts';
import { beginAlert } from './begin-alert.ts';
import { expectedFrom, lateRule, waits, whenEnded, whenScheduled } from './watched.ts';

/** Events after which a watch continues as a new one. */
const mostEvents = 2_000;

/**
 * Watches the runs of one pipeline, of one environment and by the same connections: alerts to the first that is done after one that failed,
 * and where none has been done for too long, each once. What the last run that ended, or its schedule, says of alerts holds, and of `late`
 * the schedule alone where it says it; the watch ends when there is nothing to wait for.
 */
export async function watchV1({ ends, schedule, knows: known }: WatchInput): Promise<void> {
  let knows = known;
  const heard: (RunEnd | ScheduleNews)[] = [...(schedule ? [schedule] : []), ...ends];
  setHandler(defineSignal<[RunEnd]>(endedSignal), (end) => void heard.push(end));
  setHandler(defineSignal<[ScheduleNews]>(scheduledSignal), (news) => void heard.push(news));
  for (;;) {
    for (const each of heard.splice(0)) {
      if ('is' in each) {
        knows = whenScheduled(knows, each);
        continue;
      }
      const recovered = knows?.failed === true && each.state === 'done';
      knows = whenEnded(knows, each);
      if (recovered && each.notify.on.includes('recovered')) await alert('recovered', each, each.notify.to);
    }
    if (heard.length > 0) continue;
    if (!knows || !waits(knows)) return;
    if (workflowInfo().historyLength > mostEvents) await makeContinueAsNewFunc<typeof watchV1>({})({ ends: [], knows });
    const { lateMs, to } = lateRule(knows);
    const from = expectedFrom(knows);
    const hears = (): boolean => heard.length > 0;
    if (knows.late || !from || lateMs === undefined) await condition(hears);
    else if (!(await condition(hears, Math.max(1, Date.parse(from.at) + lateMs - Date.now())))) {
      knows.late = true;
      await alert('late', from, to);
    }
  }
}

function alert(on: 'recovered' | 'late', of: RunEnd | ScheduleNews, to: string[]): Promise<void> {
  const at = new Date().toISOString();
  const { run } = of;
  const within = of.within && { within: of.within };
  if ('state' in of) return beginAlert({ run, occasion: { id: `${run.id}/${on}`, on, at, workflow: of.workflow, ...within }, to });
  const { taskQueue, workflowId, runId } = workflowInfo();
  const occasion: Occasion = {
    // Of several projects one schedule may have the name.
    id: `${taskQueue}/${of.schedule}/${of.at}/${on}`,
    on,
    at,
    workflow: { id: workflowId, runId },
    schedule: { name: of.schedule, since: of.at },
    ...within,
  };
  return beginAlert({ run, occasion, to });
}
