import { Dictionary, Int32, Null, Utf8, makeData, tableFromIPC, vectorFromArray, type Data } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../arrow/bytes.ts';
import { checkBatch } from '../../arrow/check.ts';
import { walkArrow, type ArrowType } from '../../arrow/schema.ts';
import { BadInput } from '../../errors/classes.ts';
import { arrowFileOf, arrowStream } from '../support/arrow-stream.ts';

const numbers = (...values: number[]): Data =>
  makeData({ type: new Int32(), length: values.length, nullCount: 0, data: Int32Array.from(values) });
const columns: [string, Data][] = [
  ['n', numbers(1, 2, 3)],
  ['t', vectorFromArray(['x', 'y', 'x'], new Dictionary(new Utf8(), new Int32(), 1)).data[0]!],
];
const stream = arrowStream(columns, 3, 4);
const file = arrowFileOf(columns, 3);

/** Rows that the walk counts, or why it refuses. */
const walked = (bytes: Uint8Array, type: ArrowType): number | string => {
  try {
    return walkArrow(memoryBytes(bytes), type).rows;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return error.message;
  }
};

describe('a stream', () => {
  test('that is whole has the rows of all its batches', () => expect(walked(stream, 'arrow-stream')).toBe(12));

  test('that is cut within a message is damaged, wherever it is cut', () => {
    const counts = new Map<number, number>();
    for (let length = 8; length < stream.length; length += 1) {
      const result = walked(stream.subarray(0, length), 'arrow-stream');
      if (typeof result === 'number') counts.set(length, result);
    }
    // A stream may end without a mark of its end: at the bounds of its messages, after schema and dictionary, and behind each batch.
    expect([...counts.values()]).toEqual([0, 0, 3, 6, 9, 12]);
  });

  test.each([1, 3, 4, 8, 100])('with %i bytes behind its end is damaged', (more) => {
    expect(walked(Buffer.concat([stream, Buffer.alloc(more)]), 'arrow-stream')).toMatch(/bytes stand behind its end/);
  });

  test('with another stream behind its end is damaged: its rows would be missing', () => {
    expect(walked(Buffer.concat([stream, stream]), 'arrow-stream')).toMatch(/bytes stand behind its end/);
  });
});

/** Where the footer of a file begins. */
const footerOf = (bytes: Uint8Array): number =>
  bytes.length - 10 - new DataView(bytes.buffer, bytes.byteOffset).getInt32(bytes.length - 10, true);

/** Names and rows as the library reads them, its batches checked as everywhere. */
function readOf(bytes: Uint8Array): string {
  try {
    const table = tableFromIPC(bytes);
    table.batches.forEach(checkBatch);
    return JSON.stringify([table.schema.names, table.toString()]);
  } catch {
    return 'refused';
  }
}

/** The file as most programs write it: the message of its schema stands before the others too. */
function withFirstSchema(): Uint8Array {
  const schema = stream.subarray(0, 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true));
  const made = Uint8Array.from(Buffer.concat([file.subarray(0, 8), schema, file.subarray(8)]));
  const view = new DataView(made.buffer);
  // Each entry of the footer is a place, a length of a head, four empty bytes and a length of a body: all places move.
  const isMessage = (place: bigint): boolean =>
    place >= 8n && place < file.length - 8 && view.getUint32(Number(place) + schema.length, true) === 0xffffffff;
  for (let at = footerOf(made); at + 24 <= made.length; at += 4)
    if (isMessage(view.getBigInt64(at, true))) view.setBigInt64(at, view.getBigInt64(at, true) + BigInt(schema.length), true);
  return made;
}

describe('a file', () => {
  test('that is whole has the rows of its batches', () => expect(walked(file, 'arrow-file')).toBe(3));

  test('that is cut, or has bytes behind its end, is damaged', () => {
    for (let length = 0; length < file.length; length += 1) expect(walked(file.subarray(0, length), 'arrow-file')).toBeTypeOf('string');
    expect(walked(Buffer.concat([file, Buffer.from('\n')]), 'arrow-file')).toMatch(/does not end in ARROW1/);
  });

  test('with another file behind it is damaged: the rows of one of them would be missing', () => {
    expect(walked(Buffer.concat([file, file]), 'arrow-file')).toMatch(/leaves some of its messages out/);
  });

  test('whose footer has a byte changed is damaged, or read as what it was', () => {
    const file = withFirstSchema();
    expect(walked(file, 'arrow-file')).toBe(3);
    const footer = footerOf(file);
    const whole = readOf(file);
    let damaged = 0;
    for (let at = footer; at < file.length; at += 1)
      for (const mask of [0x01, 0x10, 0x30, 0xff]) {
        const changed = Uint8Array.from(file);
        changed[at]! ^= mask;
        if (typeof walked(changed, 'arrow-file') === 'string') {
          damaged += 1;
          continue;
        }
        expect(readOf(changed), `byte ${at} ^ ${mask}`).toBeOneOf([whole, 'refused']);
      }
    expect(damaged).toBeGreaterThan(100);
  });

  test('of a column that the reader does not know is refused by the name of the column', () => {
    const isWidth = (at: number): boolean => stream[at] === 32 && stream[at + 1] === 0 && stream[at + 2] === 0;
    const results = [...stream.keys()].filter(isWidth).map((at) => walked(Uint8Array.from(stream).fill(128, at, at + 1), 'arrow-stream'));
    expect(results).toContain("column 'n' uses the Arrow type Int128, which is not supported; write the column as another type");
  });

  /** Places in the footer of the lengths that it gives a message of so many bytes. */
  const lengthsIn = (bytes: Uint8Array): { head: number; body: number } => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const footer = bytes.length - 10 - view.getInt32(bytes.length - 10, true);
    const root = footer + view.getUint32(footer, true);
    const vtable = root - view.getInt32(root, true);
    const slot = root + view.getUint16(vtable + 4 + 3 * 2, true);
    const block = slot + view.getUint32(slot, true) + 4;
    return { head: block + 8, body: block + 16 };
  };

  test.each(['head', 'body'] as const)('whose footer gives the %s of a message another length is damaged', (part) => {
    const bytes = Uint8Array.from(file);
    const place = lengthsIn(bytes)[part];
    const view = new DataView(bytes.buffer);
    view.setInt32(place, view.getInt32(place, true) - 8, true);
    expect(walked(bytes, 'arrow-file')).toMatch(/gives a message another length/);
  });
});

test('a few bytes that claim thousands of millions of rows are refused before any is made', () => {
  const claim = makeData({ type: new Null(), length: 2_000_000_000 });
  expect(walked(arrowFileOf([['nothing', claim]], 2_000_000_000), 'arrow-file')).toMatch(/claims 2000000000 rows and holds 0 bytes/);
});

test('whatever bytes are changed, the walk ends with a number of rows or a verdict', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<[Uint8Array, ArrowType]>([stream, 'arrow-stream'], [file, 'arrow-file']),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 }),
      ([whole, type], changes) => {
        const bytes = Uint8Array.from(whole);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        walked(bytes, type);
      },
    ),
    { numRuns: 2_000 },
  );
});
