/** What `dev` starts cannot be started or stopped; `remedy` says what to do. */
export class DevError extends Error {
  override readonly name = 'DevError';
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
