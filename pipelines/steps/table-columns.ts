/**
 * A column of its own table that a step names, and where. `as`: the column names the rows, by values that differ, or holds a value that
 * no row may lack. `renamed`: what stands there, with another column.
 */
export type TableColumn = {
  column: string;
  path: (string | number)[];
  as?: 'key' | 'value';
  renamed?: (column: string) => string;
};
