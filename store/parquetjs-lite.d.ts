/** The part of parquetjs-lite 0.8 that the run store uses; the package has no types of its own. */
declare module 'parquetjs-lite' {
  type Field = {
    type: 'UTF8' | 'INT32' | 'INT64' | 'DOUBLE' | 'TIMESTAMP_MILLIS';
    optional?: boolean;
    compression?: 'UNCOMPRESSED' | 'SNAPPY' | 'GZIP';
  };
  export class ParquetSchema {
    constructor(fields: Record<string, Field>);
  }
  export class ParquetWriter {
    static openFile(
      schema: ParquetSchema,
      path: string,
      options?: { rowGroupSize?: number; useDataPageV2?: boolean },
    ): Promise<ParquetWriter>;
    appendRow(row: Record<string, unknown>): Promise<void>;
    close(): Promise<void>;
  }
  const parquet: { ParquetSchema: typeof ParquetSchema; ParquetWriter: typeof ParquetWriter };
  export default parquet;
}
