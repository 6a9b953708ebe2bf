/**
 * The configuration cannot be used; `remedy` says what to do, `code` is the exit code of a command that meets it.
 * `passes`: what is missing is looked for anew each time, so that a run waits for it.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly remedy: string | undefined;
  readonly code = 2;
  readonly passes: boolean;
  constructor(message: string, remedy?: string, { passes = false, ...options }: ErrorOptions & { passes?: boolean } = {}) {
    super(message, options);
    this.remedy = remedy;
    this.passes = passes;
  }
}
