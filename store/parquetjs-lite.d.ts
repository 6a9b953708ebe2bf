/** The part of parquetjs-lite 0.8 that the run store uses; the package has no types of its own. */
declare module 'parquetjs-lite' {
  export type Field = { type: 'UTF8' | 'INT32' | 'INT64' | 'DOUBLE' | 'BOOLEAN'; optional?: boolean; statistics?: false };
  type ColumnMetaData = { data_page_offset: number; dictionary_page_offset?: number; encodings: number[] };
  /** Pages of one row group by column, as the writer takes them. */
  type RowGroup = { rowCount: number; pages: Record<string, { page: Buffer; num_values: number; first_row_index: number }[]> };
  export class ParquetSchema {
    constructor(fields: Record<string, Field>);
  }
  /** Writes a file part by part, for callers that make their own pages. */
  export class ParquetEnvelopeWriter {
    static openStream(
      schema: ParquetSchema,
      stream: { write(part: Buffer, done: () => void): void; end(done: () => void): void },
      options: { useDataPageV2: boolean; pageIndex: boolean },
    ): Promise<ParquetEnvelopeWriter>;
    readonly rowGroups: { columns: { meta_data: ColumnMetaData }[] }[];
    writeHeader(): Promise<void>;
    writeRowGroup(rows: RowGroup): Promise<void>;
    writeFooter(metadata: Record<string, string>): Promise<void>;
  }
  const parquet: { ParquetSchema: typeof ParquetSchema; ParquetEnvelopeWriter: typeof ParquetEnvelopeWriter };
  export default parquet;
}
