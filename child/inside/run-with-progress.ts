import type { Engine } from './engine.ts';

const everyMs = 500;

/** Runs a statement; twice a second `report` gets the share of it that is done (0..1) and the rows gone through, as DuckDB counts them. */
export async function runWithProgress(engine: Engine, sql: string, report: (share: number, rows: number) => void): Promise<void> {
  const timer = setInterval(() => {
    const { percentage, rows_processed: rows } = engine.connection.progress;
    if (percentage > 0) report(percentage / 100, Number(rows));
  }, everyMs);
  try {
    await engine.run(sql);
  } finally {
    clearInterval(timer);
  }
}
