import { join } from 'node:path';
import { revealing, type SecretSink } from '../../client/secret-sink.ts';
import type { Config } from '../../config/load.ts';
import { secretFiles } from '../../config/secret-files.ts';

/** Where `call` puts a secret of an answer: into a file, or, where the user says so, on the screen. `kept` are the files written. */
export function answerSink({ dir }: Config, { reveal }: { reveal: boolean }): { secrets: SecretSink; kept: readonly string[] } {
  const folder = join(dir, 'secrets');
  const kept: string[] = [];
  const files = secretFiles(folder);
  return {
    kept,
    secrets: {
      async reserve(name) {
        if (reveal) return revealing.reserve(name);
        const place = await files.reserve(name);
        return {
          ...place,
          async keep(value) {
            await place.keep(value);
            kept.push(join(folder, name));
          },
        };
      },
    },
  };
}
