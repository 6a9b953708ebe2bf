import { patched } from '@temporalio/workflow';
import type { RunView } from './messages.ts';

/** The view by which a run acts. Runs that were refused when that was a failure like others replay as such: with alerts and reports. */
export const asReplayed = (view: RunView): RunView =>
  view.state === 'refused' && !patched('to be refused is no failure') ? { ...view, state: 'failed' } : view;
