import { writeOnce } from '../../files/whole-file.ts';

/** Writes a file that is not there yet, folders included: whole or not at all. Returns false where it is there: nothing is overwritten. */
export const writeNew = (path: string, text: string): Promise<boolean> => writeOnce(path, text);
