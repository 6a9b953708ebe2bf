import { heldBy, type Holder } from '../pipelines/lock.ts';
import { stamp } from '../text/units.ts';

/** A run cannot be found, started or steered; `remedy` says what to type. */
export class RunProblem extends Error {
  override readonly name: string = 'RunProblem';
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** No schedule has the name that a command was given: its exit code is `code`, that of a wrong name. */
export class NoSchedule extends RunProblem {
  override readonly name = 'NoSchedule';
  readonly code = 2;
}

/** What this run would hold is held by another run. */
export class RunHeld extends RunProblem {
  override readonly name = 'RunHeld';
  /** Id of the holding run. */
  readonly holder: string;
  constructor(key: string, holder: Holder) {
    super(
      `${heldBy(key, holder, stamp)}: one run at a time holds it`,
      `wait for it (portolan status ${holder.run}), or end it (portolan cancel ${holder.run}), then run again`,
    );
    this.holder = holder.run;
  }
}
