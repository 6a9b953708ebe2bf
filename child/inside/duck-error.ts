import { childLimits } from '../child-limits.ts';
import { BadInput, Unavailable } from '../../errors/classes.ts';
import { shortageOf } from '../../errors/system.ts';

/** What the neutral names of open files stand for, where a message should say which of many files it means. */
export const linkNames = new Map<string, string>();

const linkPattern = /(?:(in )|Parquet )?file "[^"]*(source-[0-9a-f-]{36})"[.,:]?|\S*(source-[0-9a-f-]{36})/g;

/** Lines worth keeping: a CSV error says in its second and third line which line it means and why. */
const linesKept = (text: string): number => (/CSV Error/.test(text) ? 3 : 1);

/** Messages that say less than is known of them. */
const knownMessages: readonly [RegExp, string][] = [
  [/TProtocolException/, 'is damaged Parquet: its metadata cannot be read'],
  [/Out of buffer/, 'is damaged Parquet: a page ends before its values'],
  [
    /Duplicate name "[^"]*" in struct auto-detected in JSON/,
    'has objects with fields that differ in upper and lower case alone, which is not supported; give one another name',
  ],
  [/^[\w ]*Error: STRUCT\(\)/, 'has a struct without fields, which is not supported; leave the column out'],
];

/** The start of a DuckDB message without its class, its hints on options and the folder of the child. */
export const duckMessage = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  if (/sniffing file/.test(text)) return 'is not a CSV table: its delimiter and quotes cannot be detected';
  const known = knownMessages.find(([pattern]) => pattern.test(text));
  if (known) return known[1];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(0, linesKept(text))
    .join('; ')
    .replace(
      linkPattern,
      (_, within: string | undefined, quoted: string | undefined, bare: string | undefined) =>
        `${within ?? ''}${linkNames.get(quoted ?? bare ?? '') ?? 'the file'}`,
    )
    .replace(/^(Invalid Input|Conversion|Binder|Catalog|Parser|IO|Invalid|Out of Range|Not implemented|Serialization) Error: /, '')
    .slice(0, 500);
};

/** Runs a query over user bytes: a failure is a verdict on them, except where the machine is at fault. */
export async function judged<T>(subject: string, query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof BadInput)
      throw error.message.startsWith(`${subject}: `) ? error : new BadInput(error.verdict, `${subject}: ${error.message}`);
    const text = error instanceof Error ? error.message : String(error);
    if (/max_temp_directory_size/.test(text))
      throw new BadInput('too_large', `${subject}: needs more than ${childLimits.tempGiB} GiB of temporary files`);
    const shortage = shortageOf(error);
    if (shortage) throw new Unavailable(shortage.resource, `${subject}: ${shortage.message}`, { cause: error });
    if (/^Out of Memory|failed to (allocate|offload)|cannot resize vector/i.test(text))
      throw new BadInput(
        'too_large',
        `${subject}: needs more memory than a table may take; write it with fewer columns or shorter values, or cut it into several tables`,
      );
    throw new BadInput('bad_input', `${subject}: ${duckMessage(error)}`);
  }
}
