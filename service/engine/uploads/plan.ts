import { invalid } from '../../core/errors.ts';

/** Most parts of one upload. Assumption: the figure of S3. */
const MAX_PARTS = 10_000;

/** Largest file of one upload, in bytes. Assumption: the figure of S3, 5 TiB. */
const MAX_FILE = 5 * 1024 ** 4;

export type Sizes = { file_size: number; part_size: number };

/** Number of parts; 422 where there would be too many, or the file be too large. */
export const countParts = ({ file_size, part_size }: Sizes): number => {
  if (file_size > MAX_FILE) throw invalid('file_size', `${file_size} bytes; a file has at most ${MAX_FILE}, so send several`);
  const count = Math.ceil(file_size / part_size);
  if (count > MAX_PARTS)
    throw invalid(
      'part_size',
      `${part_size} bytes make ${count} parts of ${file_size} bytes; at most ${MAX_PARTS} are allowed, so send a part_size of ${Math.ceil(file_size / MAX_PARTS)} or more`,
    );
  return count;
};

/** Where part `number`, counted from 1, lies in the file. */
export const placeOf = ({ file_size, part_size }: Sizes, number: number): { offset: number; length: number } => {
  const offset = (number - 1) * part_size;
  return { offset, length: Math.min(part_size, file_size - offset) };
};
