import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBTimeNSValue,
  DuckDBTimeValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampValue,
  FLOAT,
  INTEGER,
  TIME,
  TIME_NS,
  TIMESTAMP,
  TIMESTAMP_MS,
  TIMESTAMP_NS,
  TIMESTAMP_S,
  UBIGINT,
  VARCHAR,
} from '@duckdb/node-api';
import { DataType, DateUnit, Precision, TimeUnit, Vector, type Data, type Decimal, type Time } from 'apache-arrow';
import { bytesAt, textAt } from '../../../../arrow/bytes-at.ts';
import { damaged } from '../../../../arrow/verdict.ts';
import { column, type ArrowColumn, type ValueAt } from './column.ts';
import { nestedColumn } from './nested.ts';
import { durationText, intervalAt, nanoseconds } from './times.ts';

const numbers = ({ values }: Data): ArrayLike<number> => values as ArrayLike<number>;
const integers = ({ values }: Data): ArrayLike<bigint> => values as ArrayLike<bigint>;

const timestamps: Record<TimeUnit, ArrowColumn> = {
  [TimeUnit.SECOND]: column(TIMESTAMP_S, (data) => (row) => new DuckDBTimestampSecondsValue(integers(data)[row]!)),
  [TimeUnit.MILLISECOND]: column(TIMESTAMP_MS, (data) => (row) => new DuckDBTimestampMillisecondsValue(integers(data)[row]!)),
  [TimeUnit.MICROSECOND]: column(TIMESTAMP, (data) => (row) => new DuckDBTimestampValue(integers(data)[row]!)),
  [TimeUnit.NANOSECOND]: column(TIMESTAMP_NS, (data) => (row) => new DuckDBTimestampNanosecondsValue(integers(data)[row]!)),
};

const texts = column(VARCHAR, textAt);

const blobs = column(BLOB, (data) => {
  const bytes = bytesAt(data);
  return (row) => new DuckDBBlobValue(bytes(row));
});

const booleans = column(BOOLEAN, (data) => {
  const bits = data.values as Uint8Array;
  return (row) => ((bits[(data.offset + row) >> 3]! >> ((data.offset + row) & 7)) & 1) === 1;
});

const times = ({ unit }: Time): ArrowColumn => {
  const nanos = nanoseconds[unit];
  const at = (data: Data, row: number): bigint => BigInt((data.values as ArrayLike<number | bigint>)[row]!) * nanos;
  return unit === TimeUnit.NANOSECOND
    ? column(TIME_NS, (data) => (row) => new DuckDBTimeNSValue(at(data, row)))
    : column(TIME, (data) => (row) => new DuckDBTimeValue(at(data, row) / 1_000n));
};

/** Digits of DuckDB's widest decimal, and the bits that it is kept in: it returns every number of them but the lowest as it was. */
const widest = { digits: 38, bits: 128 };

/** 32-bit words, lowest first, as one signed integer. */
function wide(words: Uint32Array): bigint {
  const value = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return BigInt.asIntN(words.length * 32, value);
}

/**
 * A decimal to the last digit; one that no DuckDB decimal holds is the text of its digits. Writers are found that keep more digits than
 * the type says, and readers that return them: so do we, and the column is as wide as can be.
 */
function decimals({ precision, scale, bitWidth }: Decimal): ArrowColumn {
  const words = bitWidth / 32;
  const at = (data: Data, row: number): bigint => wide((data.values as Uint32Array).subarray(row * words, (row + 1) * words));
  if (bitWidth > widest.bits || precision > widest.digits || scale < 0 || scale > widest.digits)
    return column(VARCHAR, (data) => (row) => digitsText(at(data, row), scale));
  const lowest = -(2n ** BigInt(widest.bits - 1));
  const held = (value: bigint): bigint => (value > lowest ? value : damaged('a decimal has a value that no decimal of its type has'));
  return column(DECIMAL(widest.digits, scale), (data) => (row) => new DuckDBDecimalValue(held(at(data, row)), widest.digits, scale));
}

function digitsText(value: bigint, scale: number): string {
  if (scale <= 0) return String(value * 10n ** BigInt(-scale));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Each value of a dictionary is made once. Its values may stand in several pieces. */
function dictionary(values: ArrowColumn): ArrowColumn {
  return column(values.duck, (data) => {
    const made: ReturnType<ValueAt>[] = [];
    const pieces = data.dictionary!.data.map((piece) => ({ length: piece.length, at: values.read(piece) }));
    const valueAt: ValueAt = (key) => {
      let place = key;
      for (const { length, at } of pieces) {
        if (place < length) return at(place);
        place -= length;
      }
      return null;
    };
    const keys = data.values as ArrayLike<number | bigint>;
    return (row) => {
      const key = Number(keys[row]);
      return (made[key] ??= valueAt(key));
    };
  });
}

/** How an Arrow type is held. Fails with `BadInput` for one that is not known. */
export function arrowColumn(type: DataType): ArrowColumn {
  if (DataType.isDictionary(type)) return dictionary(arrowColumn(type.dictionary));
  if (DataType.isInt(type)) {
    if (type.bitWidth === 64) return column(type.isSigned ? BIGINT : UBIGINT, (data) => (row) => integers(data)[row]!);
    if (type.bitWidth === 32 && !type.isSigned) return column(BIGINT, (data) => (row) => BigInt(numbers(data)[row]!));
    return column(INTEGER, (data) => (row) => numbers(data)[row]!);
  }
  if (DataType.isFloat(type)) {
    // The library makes numbers of half floats, whose buffer holds their bits.
    if (type.precision === Precision.HALF) return column(FLOAT, (data) => (row) => new Vector([data]).get(row) as number);
    return column(type.precision === Precision.SINGLE ? FLOAT : DOUBLE, (data) => (row) => numbers(data)[row]!);
  }
  if (DataType.isDecimal(type)) return decimals(type);
  if (DataType.isBool(type)) return booleans;
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type)) return texts;
  if (DataType.isNull(type)) return { duck: VARCHAR, read: () => () => null };
  if (DataType.isTimestamp(type)) return timestamps[type.unit];
  if (DataType.isDate(type))
    return type.unit === DateUnit.DAY
      ? column(DATE, (data) => (row) => new DuckDBDateValue(numbers(data)[row]!))
      : timestamps[TimeUnit.MILLISECOND];
  if (DataType.isTime(type)) return times(type);
  if (DataType.isDuration(type)) return column(VARCHAR, (data) => (row) => durationText(integers(data)[row]! * nanoseconds[type.unit]));
  if (DataType.isInterval(type)) return column(VARCHAR, (data) => (row) => intervalAt(data.values as Int32Array, type.unit, row));
  return nestedColumn(type, arrowColumn) ?? blobs;
}
