import { condition, defineQuery, setHandler, startChild, defineSignal } from '@temporalio/workflow';
import type { RunInput } from '../../pipelines/run-start.ts';
import { endedSignal, type RunEnd } from '../../pipelines/notify.ts';
import { signal, workflowType, type ChildReport } from '../../workflows/messages.ts';

export { runPipelineV1 } from '../../workflows/run-pipeline-v1.ts';

/** Has a run as its step, and ends when that has reported its end: with the state that it reported. */
export async function above(input: RunInput): Promise<string> {
  let reported: ChildReport | undefined;
  setHandler(defineSignal<[ChildReport]>(signal.report), (report) => void (reported = report));
  setHandler(defineQuery<boolean>('heard'), () => reported !== undefined);
  await startChild(workflowType, { workflowId: input.start.id!, args: [input] });
  await condition(() => reported !== undefined);
  return reported!.state;
}

/** Stands where the watch of such runs does, and ends when it hears of an end: with its state. */
export async function watching(): Promise<string> {
  let ended: RunEnd | undefined;
  setHandler(defineSignal<[RunEnd]>(endedSignal), (end) => void (ended = end));
  setHandler(defineQuery<boolean>('heard'), () => ended !== undefined);
  await condition(() => ended !== undefined);
  return ended!.state;
}
