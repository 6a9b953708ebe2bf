/** The configuration cannot be used; `remedy` says what to do, `code` is the exit code of a command that meets it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly remedy: string | undefined;
  readonly code = 2;
  constructor(message: string, remedy?: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
