/** The four column types of a dataset (maps API, table rules). */
export type ColumnType = 'int32' | 'float32' | 'timestamp' | 'string';

/** A column of a dataset. `vector` is own vectors, the column `_embeddings` and no other: `width` numbers, all float32. */
export type DataColumn = { name: string; type: ColumnType | 'vector'; width?: number };
