import type { YAMLParseError } from 'yaml';
import type { Finding } from '../findings.ts';

type Help = Pick<Finding, 'remedy' | 'corrected'>;

/** What the parser's errors mean to whoever wrote the file, by their codes. */
const words: Partial<Record<YAMLParseError['code'], readonly [message: string, remedy: string]>> = {
  TAB_AS_INDENT: ['tabs cannot indent; use spaces', 'replace each tab by two spaces, in the whole file'],
  BAD_INDENT: ['the indentation does not fit the lines above', 'give fields of the same kind the same indentation'],
  BLOCK_AS_IMPLICIT_KEY: ["a second ':' makes this two values", 'put the whole text into quotes, or the second field on a line of its own'],
  MULTILINE_IMPLICIT_KEY: ["a field has a ':' behind its name", "write NAME: value, with a blank behind the ':'"],
  MISSING_CHAR: ['a quote, bracket or comma is missing', 'close what is open, and put a comma between two fields in brackets'],
  UNEXPECTED_TOKEN: ['this cannot stand here', 'put the text into quotes where it begins with a special character'],
  BAD_DQ_ESCAPE: ['a backslash within double quotes begins an escape', "use single quotes: '…'; in a path /"],
  BAD_ALIAS: ['the name of an anchor or alias cannot be this', 'take letters, digits and hyphens'],
  BLOCK_IN_FLOW: ['lines in block style cannot stand inside of { } or [ ]', 'close the bracket, or write all of it in brackets'],
  KEY_OVER_1024_CHARS: ['the name of a field is too long', 'put it into quotes'],
};

/** A message of the parser in plain words, and what helps. A tag is cut out of its line. */
export function inPlainWords(
  { code, message, pos }: Pick<YAMLParseError, 'code' | 'message' | 'pos'>,
  text: string,
): [message: string, help: Help] {
  if (code === 'TAG_RESOLVE_FAILED') {
    const start = text.lastIndexOf('\n', pos[0]) + 1;
    const eol = text.indexOf('\n', pos[0]);
    const line = text.slice(start, eol < 0 ? text.length : eol);
    const corrected = line.slice(0, pos[0] - start) + line.slice(pos[0] - start).replace(/^!\S*\s*/, '');
    return ['a tag (!NAME) has no meaning in a pipeline', { corrected }];
  }
  const [said, remedy] = words[code] ?? [
    message.charAt(0).toLowerCase() + message.slice(1),
    'see a file that works: portolan init, or portolan docs steps',
  ];
  return [said, { remedy }];
}
