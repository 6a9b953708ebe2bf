import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linesOfFile } from '../../files/lines-of-file.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-lines-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a file is read line by line, each with its place, however much is read at a time', async () => {
  const path = join(dir, 'lines.txt');
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 20 }), async (lines, atATime) => {
      const whole = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      await writeFile(path, whole);
      const found: string[] = [];
      for await (const some of linesOfFile(path, atATime))
        for (const { at, bytes } of some) {
          expect(whole.subarray(at, at + bytes.length)).toEqual(bytes);
          found.push(bytes.toString());
        }
      expect(found).toEqual(lines);
    }),
  );
});
