import {
  ARRAY,
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DOUBLE,
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBListValue,
  DuckDBTimeValue,
  DuckDBTimestampMillisecondsValue,
  FLOAT,
  INTEGER,
  LIST,
  TIME,
  TIMESTAMP_MS,
  UBIGINT,
  VARCHAR,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { DataType, DateUnit, Precision, TimeUnit, Type, type FixedSizeList, type List } from 'apache-arrow';

/** How a column of an Arrow file is held: its DuckDB type, the type it is called by, and the way of a value. */
export type ArrowColumn = { duck: DuckDBType; type: string; value: (value: any) => DuckDBValue };

const dayMs = 86_400_000;
const microseconds: Record<TimeUnit, (value: bigint) => bigint> = {
  [TimeUnit.SECOND]: (value) => value * 1_000_000n,
  [TimeUnit.MILLISECOND]: (value) => value * 1_000n,
  [TimeUnit.MICROSECOND]: (value) => value,
  [TimeUnit.NANOSECOND]: (value) => value / 1_000n,
};

/** 32-bit words, lowest first, as one signed integer. */
function wide(words: Uint32Array): bigint {
  const value = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return BigInt.asIntN(words.length * 32, value);
}

const asJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return part.toString();
    return part instanceof Uint8Array ? Buffer.from(part).toString('hex') : part;
  });

const column = (duck: DuckDBType, value: (value: any) => DuckDBValue, type = duck.toString()): ArrowColumn => ({ duck, type, value });

/** Lists of floats are lists, as every other format has them: vectors. Half floats are read as numbers, not as their bits. */
function floats(type: FixedSizeList | List): ArrowColumn | undefined {
  const item: DataType = type.children[0]!.type;
  if (!DataType.isFloat(item)) return undefined;
  const float = item.precision === Precision.DOUBLE ? DOUBLE : FLOAT;
  return DataType.isFixedSizeList(type)
    ? column(ARRAY(float, type.listSize), (value: Iterable<number | null>) => new DuckDBArrayValue([...value]))
    : column(LIST(float), (value: Iterable<number | null>) => new DuckDBListValue([...value]));
}

/** Chooses how to hold an Arrow type. Other nested types are kept as JSON text, under their own name: they can be hashed, not selected. */
export function arrowColumn(type: DataType): ArrowColumn {
  if (DataType.isDictionary(type)) return arrowColumn(type.dictionary);
  const vector = DataType.isFixedSizeList(type) || DataType.isList(type) ? floats(type) : undefined;
  if (vector) return vector;
  if (DataType.isInt(type)) {
    if (type.bitWidth < 32 || (type.bitWidth === 32 && type.isSigned)) return column(INTEGER, Number);
    return column(type.bitWidth === 64 && !type.isSigned ? UBIGINT : BIGINT, BigInt);
  }
  if (DataType.isFloat(type)) return type.precision === Precision.SINGLE ? column(FLOAT, Number) : column(DOUBLE, Number);
  if (DataType.isDecimal(type)) return column(DOUBLE, (value: Uint32Array) => Number(wide(value)) / 10 ** type.scale);
  if (DataType.isBool(type)) return column(BOOLEAN, Boolean);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return column(VARCHAR, String);
  if (DataType.isNull(type)) return column(VARCHAR, () => null);
  if (DataType.isTimestamp(type))
    return column(TIMESTAMP_MS, (value) => new DuckDBTimestampMillisecondsValue(BigInt(Math.floor(Number(value)))));
  if (DataType.isDate(type))
    return type.unit === DateUnit.DAY
      ? column(DATE, (value) => new DuckDBDateValue(Math.floor(Number(value) / dayMs)))
      : column(TIMESTAMP_MS, (value) => new DuckDBTimestampMillisecondsValue(BigInt(Math.floor(Number(value)))));
  if (DataType.isTime(type)) return column(TIME, (value) => new DuckDBTimeValue(microseconds[type.unit](BigInt(value))));
  if (DataType.isBinary(type) || DataType.isFixedSizeBinary(type) || DataType.isLargeBinary(type))
    return column(BLOB, (value: Uint8Array) => new DuckDBBlobValue(value));
  return column(VARCHAR, asJson, Type[type.typeId]);
}
