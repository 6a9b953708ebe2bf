import { argument } from '../text/shell.ts';
import type { RunError, RunView } from '../workflows/messages.ts';

/**
 * The command that goes on where a run failed; what it has completed is not done again. `file` as the person names it, in which a mistake is
 * corrected. What nobody approved is approved by it. A run that takes another one back is gone on with by taking that one back.
 */
export function nextCommand({ run, undoes }: Pick<RunView, 'run' | 'undoes'>, { step, details }: RunError, file?: string): string {
  const corrected = file === undefined ? '' : ` --file ${argument(file)}`;
  if (step === undefined && details?.continuedBy !== undefined) return `portolan rerun ${details.continuedBy}`;
  const accept = details?.unapproved?.run === run ? ` --accept ${argument(details.unapproved.step)}` : '';
  if (undoes !== undefined) return `portolan undo ${undoes}${accept}${corrected}`;
  return `portolan rerun ${run}${accept}${step === undefined ? '' : ` --from ${argument(step)}`}${corrected}`;
}
