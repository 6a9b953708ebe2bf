import { BadInput } from '../../../../errors/classes.ts';

const refuse = (what: string, line: number): never => {
  throw new BadInput('bad_input', `${what} in line ${line}; give the field another name`);
};

/** The engine's columns ignore the case of ASCII letters, and of no others. */
const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Takes each name of JSON text as it is written, quotes and escapes included; `isColumn` for the fields of a record, not of what its values hold. */
export type NameCheck = (written: string, isColumn: boolean, line: number) => void;

/**
 * Refuses names under which the engine would find no value: it gives an empty name, and the second of two that differ in case
 * alone, a name of its own, looks for that one in the records, and reads null. One check serves all files of a table.
 */
export function createNameCheck(): NameCheck {
  const known = new Set<string>();
  const columns = new Map<string, string>();
  return (written, isColumn, line) => {
    const key = `${isColumn ? 'column' : 'field'} ${written}`;
    if (known.has(key)) return;
    known.add(key);
    const name = JSON.parse(written) as string;
    if (name === '') refuse('has a field with an empty name', line);
    if (name.includes('\0')) refuse('has a NUL character in a name', line);
    if (!isColumn) return;
    const other = columns.get(folded(name));
    if (other !== undefined && other !== name)
      refuse(`has the field '${name}' beside '${other}', which differs in upper and lower case alone,`, line);
    columns.set(folded(name), name);
  };
}
