/** Lines of at most `room` characters, one at least, broken between words; a longer word is cut into pieces. Infinity: one line, as it is. */
export function wrap(text: string, room: number): string[] {
  if (room === Number.POSITIVE_INFINITY) return [text];
  const width = Math.max(1, room);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => each.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''])) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
