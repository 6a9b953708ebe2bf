import { test } from 'vitest';

/**
 * A test that is red when one of these statements of docs/spec/statements.tsv does not hold: one to three ids, written out, since
 * `scripts/spec/proofs.ts` reads them from the source. What is said of an operation goes through the product's own client.
 */
export const proves = (ids: readonly [string, string?, string?], title: string, run: () => Promise<void>): void =>
  test(`${title} [${ids.join(', ')}]`, run);
