import { argument } from '../text/shell.ts';
import type { RunError } from '../workflows/messages.ts';

/** The command that goes on where a run failed; what it has completed is not done again. `file` as the person names it. */
export const rerunCommand = (run: string, { step }: RunError, file?: string): string =>
  `portolan rerun ${run}${step === undefined ? '' : ` --from ${step}`}${file === undefined ? '' : ` --file ${argument(file)}`}`;
