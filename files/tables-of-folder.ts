import { readdir } from 'node:fs/promises';

/** The pattern of the tables in a folder: with the ending of most files that may be tables; where none may, that of CSV. */
export async function tablesOfFolder(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const endings = names.flatMap(
    (name) => /\.(?:csv|tsv|jsonl?|ndjson|parquet|arrow|feather|xlsx)(?:\.(?:gz|zst))?$/i.exec(name)?.[0] ?? [],
  );
  const counts = Map.groupBy(endings, (ending) => ending);
  const [most] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return `*${most?.[0] ?? '.csv'}`;
}
