/** A selection that cannot be answered: it does not fit the dataset, or is past a bound. Final, never retried. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
  readonly retryable = false;
}
