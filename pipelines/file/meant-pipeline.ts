import { extname } from 'node:path';
import { meantFile } from '../../files/meant-file.ts';

/** The pipeline file that was most likely meant by a path where none is. JSON is mostly something else, unless JSON was named. */
export const meantPipeline = (path: string): Promise<string | undefined> =>
  meantFile(path, (name) => /\.(?:ya?ml|m?[jt]s)$/i.test(name) || (extname(name) !== '' && extname(name) === extname(path)));
