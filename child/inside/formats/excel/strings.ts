import { randomUUID } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { readSync } from 'node:fs';
import { join } from 'node:path';
import { BadInput } from '../../../../errors/classes.ts';
import type { Making } from '../../packed/plain-file.ts';
import { countUnpacked } from '../../packed/unpack.ts';
import { isItemText, unescaped } from './item-text.ts';
import { namespaces } from '../office/namespaces.ts';
import { tooLarge, type Package } from '../office/package.ts';
import { blockSize, createTextBlocks, type Block } from './text-blocks.ts';
import { readXml } from '../office/xml.ts';

/** The texts that cells name by a number. */
export type Strings = AsyncDisposable & {
  /** A text by its number. Fails with `BadInput` where there is none. */
  at(index: number): string;
};

const mostStrings = 16 * 1024 * 1024;
const writtenBytes = 1024 * 1024;

function fill(fd: number, bytes: Buffer, from: number): void {
  for (let at = 0; at < bytes.length;) {
    const read = readSync(fd, bytes, at, bytes.length - at, from + at);
    if (read === 0) throw new Error('the file of shared texts is shorter than it was written');
    at += read;
  }
}

/** Writes texts one behind the other, as UTF-8. */
function createWriter(file: FileHandle, making: Making): { add(text: string): void; flush(): Promise<void>; end(): Promise<Block[]> } {
  const blocks: Block[] = [];
  let pending: Buffer[] = [];
  let waiting = 0;
  let at = 0;
  let block = { from: 0, ends: [] as number[] };
  const close = (): void => {
    if (block.ends.length > 0) blocks.push({ from: block.from, ends: Float64Array.from(block.ends) });
    block = { from: at, ends: [] };
  };
  const write = async (): Promise<void> => {
    const bytes = Buffer.concat(pending);
    [pending, waiting] = [[], 0];
    await file.appendFile(bytes);
  };
  return {
    add(text) {
      if (blocks.length * blockSize + block.ends.length === mostStrings)
        throw new BadInput(
          'too_large',
          `holds more than ${mostStrings.toLocaleString('en-US')} different texts; cut it into several files`,
        );
      if (!text.isWellFormed())
        throw new BadInput(
          'bad_input',
          `holds half a character (a lone surrogate) in ${JSON.stringify(text.slice(0, 40))}; write that text again`,
        );
      const bytes = Buffer.from(text);
      countUnpacked(making.unpacked, bytes.length, tooLarge('workbook'));
      pending.push(bytes);
      waiting += bytes.length;
      at += bytes.length;
      block.ends.push(at - block.from);
      if (block.ends.length === blockSize) close();
    },
    flush: async () => (waiting < writtenBytes ? undefined : write()),
    async end() {
      close();
      await write();
      return blocks;
    },
  };
}

async function write(parts: Package, part: string, file: FileHandle, making: Making): Promise<Block[]> {
  const writer = createWriter(file, making);
  let text = '';
  let isText = false;
  const reading = readXml(parts, part, namespaces.sheets, {
    open(name, tag, parent) {
      if (isText) throw new BadInput('bad_input', `is a damaged workbook: a text of ${part} holds <${tag.name}>`);
      if (name === 'si' && parent === 'sst') text = '';
      isText = isItemText(name, parent);
    },
    text(found) {
      if (isText) text += found;
    },
    close(name, parent) {
      isText = false;
      if (name === 'si' && parent === 'sst') writer.add(unescaped(text));
    },
  });
  for await (const _ of reading) await writer.flush();
  return writer.end();
}

/** Puts the shared texts of a workbook on the disk, since there may be more than memory holds, and reads them from there. */
export async function openStrings(parts: Package, part: string | undefined, making: Making): Promise<Strings> {
  const file = await open(join(making.folder, randomUUID()), 'wx+');
  const close = (): Promise<void> => file.close();
  try {
    const blocks = part === undefined ? [] : await write(parts, part, file, making);
    const find = createTextBlocks(blocks, (bytes, from) => fill(file.fd, bytes, from));
    return {
      at(index) {
        const text = find(index);
        if (text === undefined) throw new BadInput('bad_input', `names the text ${index}, which the workbook does not have`);
        return text;
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
