import { DuckDBInstance } from '@duckdb/node-api';
import accessors from '@duckdb/node-api/lib/vectors/dataAccessors.js';

// The library takes a byte order mark off each text that it hands over, so that two ids became one. It has no setting for it, but asks
// this decoder for every text.
Object.assign(accessors, { textDecoder: new TextDecoder('utf-8', { ignoreBOM: true }) });

/** Opens a database of DuckDB, whose texts come to the letter. Every one of ours is opened here. */
export const openDuckDb = (file: string, options: Record<string, string> = {}): Promise<DuckDBInstance> =>
  DuckDBInstance.create(file, options);
