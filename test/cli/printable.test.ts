import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../cli/frame/printable.ts';
import { createScreen } from '../../cli/frame/screen.ts';
import { createTerminal } from '../../cli/frame/terminal.ts';

const written = (write: (terminal: ReturnType<typeof createTerminal>) => void, tty = true): string => {
  let out = '';
  write(createTerminal({ stdout: { write: (text: string) => ((out += text), true) }, tty }));
  return out;
};

test('what came from a file or a service reaches the terminal without its control characters, whichever verb prints it', () => {
  for (const [text, shown] of [
    ['a\x1b]0;title\x07b', 'a]0;titleb'],
    ['a\x1b[2Ab\x1b[2K', 'a[2Ab[2K'],
    ['one\rtwo\n', 'onetwo\n'],
    ['\x9b2Jx\x7f', '2Jx'],
    ['delete \u202efdp.ynapmoc\u2066 now\u200f', 'delete fdp.ynapmoc now'],
    ['\x1b]8;;https://evil\x1b\\here', ']8;;https://evil\\here'],
  ] as const) {
    expect(written(({ out }) => out(text))).toBe(shown);
    expect(written((terminal) => createScreen(terminal).draw([text.replace('\n', '')]))).toBe(`${shown.replace('\n', '')}\x1b[K\n`);
  }
});

test('colours, tabs, line ends and our own drawing stay', () => {
  expect(printable('\x1b[31m✗\x1b[39m a\tb\n')).toBe('\x1b[31m✗\x1b[39m a\tb\n');
  expect(
    written((terminal) => {
      const screen = createScreen(terminal);
      screen.draw(['a', 'b']);
      screen.draw(['c']);
    }),
  ).toBe('a\x1b[K\nb\x1b[K\n\x1b[2Ac\x1b[K\n\x1b[J');
});

test('whatever the text: no control character but those of colours and line ends is left', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n', '\x1b', '[', '2', 'J', 'm', '\x07', '\x9b', '\r', ';', 'K')), (parts) => {
      const left = printable(parts.join('').replaceAll('\x1b[K\n', '')).replaceAll(/\x1b\[[0-9;]*m/g, '');
      expect(left.replaceAll(/\x1b\[K\n/g, '')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
});

test('what is for machines is exact in a file or a pipe, and harmless on a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(written(({ data }) => data(text), false)).toBe(text);
      expect(written(({ data }) => data(text))).toBe(printable(text));
      for (const tty of [true, false]) {
        const line = written(({ value }) => value({ text }), tty);
        expect(JSON.parse(line)).toEqual({ text });
        expect(line).toMatch(/^[^\x00-\x1f\x7f-\x9f\u202e]*\n$/);
      }
    }),
    { examples: [['a\x1b[31m\x07\r\n"b"\x9b\x7f\u202e']] },
  );
});
