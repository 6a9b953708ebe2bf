import { SelectionError } from './error.ts';

/**
 * Throws `SelectionError` 422 for a regular expression that RE2 refuses, named with RE2's own reason. Each is tried
 * alone, before it stands inside a larger one. `run` executes a statement in DuckDB and rejects where that does.
 */
export const checkPatterns = async (
  patterns: readonly string[],
  run: (sql: string, params: string[]) => Promise<unknown>,
): Promise<void> => {
  for (const pattern of new Set(patterns)) {
    try {
      await run("SELECT regexp_matches('', CAST(? AS VARCHAR))", [pattern.toWellFormed()]);
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/^Invalid Input Error: /, '');
      throw new SelectionError(`search with regex: ${JSON.stringify(pattern)} is not an RE2 expression: ${reason}`);
    }
  }
};
