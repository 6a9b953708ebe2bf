import { readFile } from 'node:fs/promises';
import { withoutByteOrderMark } from '../../text/byte-order-mark.ts';
import { UsageError } from '../frame/errors.ts';

export type ParamSet = { line: number; values: { [name: string]: unknown } };

const objectOf = (line: string): ParamSet['values'] | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ParamSet['values']) : undefined;
  } catch {
    return undefined;
  }
};

/** Sets of parameters of a JSON lines file: one object a line, empty lines left out. Fails with `UsageError`, naming the line. */
export async function readParamSets(path: string): Promise<ParamSet[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${error.message}`);
  });
  const lines = withoutByteOrderMark(text).split(/\r?\n/);
  const sets = lines.flatMap((content, index): ParamSet[] => {
    if (content.trim() === '') return [];
    const values = objectOf(content);
    if (!values)
      throw new UsageError(
        `${path}:${index + 1}: not a JSON object`,
        'one object a line, such as {"dataset":"movies","source":"movies.json"}',
      );
    return [{ line: index + 1, values }];
  });
  if (sets.length === 0) throw new UsageError(`${path} holds no parameters`, 'one JSON object a line');
  return sets;
}
