/** A run cannot be found, started or steered; `remedy` says what to type. */
export class RunProblem extends Error {
  override readonly name: string = 'RunProblem';
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** What this run would hold is held by another run. */
export class RunHeld extends RunProblem {
  override readonly name = 'RunHeld';
  /** Id of the holding run; undefined where it said nothing about itself. */
  readonly holder: string | undefined;
  constructor(held: string, holder: string | undefined, by: string | undefined) {
    super(
      `${held} is held by ${holder ? `run ${holder}` : 'another run'}${by ? `, started by ${by}` : ''}: one run at a time works on a dataset`,
      holder
        ? `wait for it (portolan status ${holder}), or end it (portolan cancel ${holder}), then run again`
        : 'portolan runs shows which runs are open',
    );
    this.holder = holder;
  }
}
