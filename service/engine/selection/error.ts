/** A selection that cannot be answered: 400 where it does not fit the dataset, 422 past a bound. Final, never retried. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
  readonly retryable = false;
  readonly status: 400 | 422;
  constructor(status: 400 | 422, message: string) {
    super(message);
    this.status = status;
  }
}
