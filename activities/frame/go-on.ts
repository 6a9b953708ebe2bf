import type { RunRef } from '../../pipelines/plan.ts';

/** The command by which a person goes on with what the earlier runs of a run had begun. */
export const goOn = ({ undoes, former, id }: RunRef): string =>
  undoes === undefined ? `portolan rerun ${former?.runs[0]?.run ?? id}` : `portolan undo ${undoes}`;
