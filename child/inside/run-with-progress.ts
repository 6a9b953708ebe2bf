import type { Engine } from './engine.ts';

const everyMs = 500;

/** Runs a statement; tells twice a second which share of it is done (0..1) and how many rows were gone through, as DuckDB sees it. */
export async function runTold(engine: Engine, sql: string, tell: (share: number, rows: number) => void): Promise<void> {
  const timer = setInterval(() => {
    const { percentage, rows_processed: rows } = engine.connection.progress;
    if (percentage > 0) tell(percentage / 100, Number(rows));
  }, everyMs);
  try {
    await engine.run(sql);
  } finally {
    clearInterval(timer);
  }
}
