import {
  ARRAY,
  DuckDBArrayValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBUnionValue,
  LIST,
  MAP,
  STRUCT,
  UNION,
  VARCHAR,
  type DuckDBValue,
} from '@duckdb/node-api';
import { DataType, type Data, type DenseUnion, type Field, type SparseUnion, type Union } from 'apache-arrow';
import { column, type ArrowColumn, type ValueAt } from './column.ts';
import { uniqueNames } from './unique-names.ts';

type ColumnOf = (type: DataType) => ArrowColumn;

/** Lists, structs, maps and unions as DuckDB has them, values and all; undefined for a type that is none. */
export function nestedColumn(type: DataType, columnOf: ColumnOf): ArrowColumn | undefined {
  if (DataType.isFixedSizeList(type)) return arrays(type.listSize, columnOf(type.children[0]!.type));
  if (DataType.isList(type) || DataType.isLargeList(type)) return lists(columnOf(type.children[0]!.type));
  if (DataType.isMap(type)) return maps(type.children[0]!, columnOf);
  if (DataType.isStruct(type)) return structs(type.children, columnOf);
  return DataType.isUnion(type) ? unions(type, columnOf) : undefined;
}

const range = (from: number, to: number, valueAt: ValueAt): DuckDBValue[] =>
  Array.from({ length: to - from }, (_, place) => valueAt(from + place));

function arrays(size: number, item: ArrowColumn): ArrowColumn {
  const items = (data: Data): ((row: number) => DuckDBValue[]) => {
    const valueAt = item.read(data.children[0]!);
    return (row) => range(row * size, (row + 1) * size, valueAt);
  };
  const wrapped = <T>(make: (values: DuckDBValue[]) => T) => {
    return (data: Data): ((row: number) => T) => {
      const of = items(data);
      return (row) => make(of(row));
    };
  };
  // DuckDB has no array without items.
  return size === 0
    ? column(
        LIST(item.duck),
        wrapped((values) => new DuckDBListValue(values)),
      )
    : column(
        ARRAY(item.duck, size),
        wrapped((values) => new DuckDBArrayValue(values)),
      );
}

/** From where to where the items of a row stand in the child. */
const bounds = (data: Data): ((row: number) => [from: number, to: number]) => {
  const offsets = data.valueOffsets as ArrayLike<number | bigint>;
  return (row) => [Number(offsets[row]), Number(offsets[row + 1])];
};

const lists = (item: ArrowColumn): ArrowColumn =>
  column(LIST(item.duck), (data) => {
    const valueAt = item.read(data.children[0]!);
    const at = bounds(data);
    return (row) => new DuckDBListValue(range(...at(row), valueAt));
  });

function maps(entry: Field, columnOf: ColumnOf): ArrowColumn {
  const [key, value] = entry.type.children!.map(({ type }: Field) => columnOf(type)) as [ArrowColumn, ArrowColumn];
  return column(MAP(key.duck, value.duck), (data) => {
    const [keys, values] = data.children[0]!.children as [Data, Data];
    const [keyAt, valueAt] = [key.read(keys), value.read(values)];
    const at = bounds(data);
    return (row) => {
      const [from, to] = at(row);
      return new DuckDBMapValue(
        Array.from({ length: to - from }, (_, place) => ({ key: keyAt(from + place), value: valueAt(from + place) })),
      );
    };
  });
}

function structs(fields: readonly Field[], columnOf: ColumnOf): ArrowColumn {
  // DuckDB has no struct without fields.
  if (fields.length === 0) return column(VARCHAR, () => () => '{}');
  const columns = fields.map(({ type }) => columnOf(type));
  const names = uniqueNames(fields.map(({ name }) => name));
  return column(STRUCT(Object.fromEntries(names.map((name, at) => [name, columns[at]!.duck]))), (data) => {
    const values = columns.map(({ read }, at) => read(data.children[at]!));
    return (row) => new DuckDBStructValue(Object.fromEntries(names.map((name, at) => [name, values[at]!(row)])));
  });
}

function unions(type: Union | DenseUnion | SparseUnion, columnOf: ColumnOf): ArrowColumn {
  const columns = type.children.map((field) => columnOf(field.type as DataType));
  const names = uniqueNames(type.children.map(({ name }) => name));
  const places = type.typeIdToChildIndex;
  return {
    duck: UNION(Object.fromEntries(names.map((name, at) => [name, columns[at]!.duck]))),
    read(data) {
      const values = columns.map(({ read }, at) => read(data.children[at]!));
      const dense = DataType.isDenseUnion(type);
      return (row) => {
        const member = places[data.typeIds[row]!]!;
        const value = values[member]!(dense ? data.valueOffsets[row]! : row);
        return value === null ? null : new DuckDBUnionValue(names[member]!, value);
      };
    },
  };
}
