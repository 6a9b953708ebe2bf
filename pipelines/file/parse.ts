import { withoutByteOrderMark } from '../../text/byte-order-mark.ts';
import type { Json } from '../../text/json.ts';
import { byPosition, formatPath, type Finding, type Locate, type Position } from './findings.ts';
import { compose, onlyDocument } from './yaml/compose.ts';
import { diagnose, type Diagnosis } from './yaml/diagnose.ts';
import { foreignExpression } from './yaml/foreign.ts';
import { inPlainWords } from './yaml/plain-words.ts';
import type { FindingCode } from './finding-codes.ts';
import { createLines } from './yaml/lines.ts';
import { limits, readSyntax, tooLong } from './yaml/yaml-limits.ts';
import { quoteExpressions, type Misread } from './yaml/quote.ts';
import { createLocate } from './yaml/locate.ts';
import { wrongIn } from './wrong-in.ts';
import { toValue } from './yaml/values.ts';

/** A text as plain JSON with the places of everything in it. `value` is undefined where it cannot be read at all. */
export type Parsed = {
  value: Json | undefined;
  findings: Finding[];
  locate: Locate;
  /** The pipeline files that its steps name, by what stands under `use`; absent: none. */
  uses?: UsedFiles;
};

export type UsedFiles = { readonly [use: string]: UsedFile };

/** A pipeline file that a step names, read from `file` (absolute), or why it cannot be used; `meant`: what was most likely to stand under `use`. */
export type UsedFile = (Parsed & { file: string; baseDir: string }) | { problem: string; remedy: string; meant?: string };

const maxSyntaxFindings = 10;

/** Lines that cannot be read, of which each is put right before the rest is checked. */
const maxRepairs = 8;

/** Where nothing is known: the start of the file. */
export const nowhere: Locate = {
  key: () => ({ line: 1, column: 1 }),
  value: () => ({ line: 1, column: 1 }),
  rewritten: () => undefined,
  line: () => undefined,
};

/** Reads a YAML or JSON text within the limits of a pipeline file. Never throws. */
export function parse(text: string, format: 'yaml' | 'json' = 'yaml'): Parsed {
  return read(withoutByteOrderMark(text), format, maxRepairs);
}

function read(text: string, format: 'yaml' | 'json', repairs: number): Parsed {
  const lines = createLines(text);
  const at = (offset: number, code: FindingCode, message: string, help: Pick<Finding, 'remedy' | 'corrected'> = {}): Finding => ({
    code,
    message,
    path: '',
    ...lines(offset),
    ...help,
  });
  const nothing = (...findings: Finding[]): Parsed => ({ value: undefined, findings, locate: nowhere });

  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytes) return nothing(at(0, 'too-large', tooLong(bytes).message));
  if (text.trim() === '') return nothing(at(0, 'empty-file', 'the file is empty'));
  if (format === 'json') {
    const error = jsonError(text);
    if (error) return nothing(at(error.offset, 'syntax', error.message));
  }

  /** A line that is wrong as such: the rest of the file is checked as it was meant. */
  const mended = (code: FindingCode, { line, column, message, corrected }: Diagnosis): Parsed => {
    const rest = read(
      text
        .split('\n')
        .with(line - 1, corrected)
        .join('\n'),
      format,
      repairs - 1,
    );
    // Places are those of the file: the line may be longer than it was.
    const length = text.split('\n', line)[line - 1]!.length;
    const within = <P extends Position>(place: P): P =>
      place.line === line ? { ...place, column: Math.min(place.column, length + 1) } : place;
    const { locate } = rest;
    return {
      value: rest.value,
      findings: [within({ code, message, path: '', line, column, corrected }), ...rest.findings.map(within)].sort(byPosition),
      locate: { ...locate, key: (path) => within(locate.key(path)), value: (path, offset) => within(locate.value(path, offset)) },
    };
  };
  const foreign = format === 'yaml' && repairs > 0 ? foreignExpression(text) : undefined;
  if (foreign) return mended('no-expression', foreign);

  const quoted = format === 'yaml' ? quoteExpressions(text) : { text, misread: [], before: (offset: number) => offset };
  const findings = quoted.misread.map(({ offset, reason, line }) => at(offset, 'unquoted-expression', why[reason], { corrected: line }));
  const syntax = readSyntax(quoted.text);
  if ('excess' in syntax) return nothing(...findings, at(quoted.before(syntax.excess.offset), 'too-large', syntax.excess.message));

  const documents = compose(syntax.tokens, quoted.text.length);
  const document = documents[0]!;
  const [first] = document.errors;
  if (first && format === 'yaml' && repairs > 0) {
    const found = diagnose(quoted.text, createLines(quoted.text)(first.pos[0]).line, wrongIn);
    if (found) return mended('syntax', found);
  }
  for (const problem of [...document.errors, ...document.warnings].slice(0, maxSyntaxFindings))
    findings.push(at(quoted.before(problem.pos[0]), 'syntax', ...inPlainWords(problem, quoted.text)));
  if (documents.length > 1) {
    const end = lines(quoted.before(secondDocument(quoted.text)));
    const message = 'a second document begins here; a pipeline is one document';
    const joined = text
      .split('\n')
      .with(end.line - 1, '')
      .join('\n');
    return repairs > 0 && isOne(joined)
      ? mended('syntax', { ...end, message, corrected: '' })
      : nothing(...findings, { code: 'syntax', message, path: '', ...end, remedy: 'make two files' });
  }
  if (document.errors.length > 0) return nothing(...findings.sort(byPosition));

  const { value, places, errors } = toValue(document);
  for (const { offset, code, message, remedy, path } of errors)
    findings.push({ ...at(quoted.before(offset), code, message, remedy === undefined ? {} : { remedy }), path: formatPath(path) });
  return {
    value,
    findings: findings.sort(byPosition),
    locate: createLocate(places, quoted.text, (offset) => lines(quoted.before(offset))),
  };
}

const why: Record<Misread['reason'], string> = {
  flow: 'inside { } or [ ] an expression needs quotes',
  colon: "YAML ends this value at ': '; the expression needs quotes",
  comma: 'inside { } a comma ends a value; an expression that holds one needs quotes',
  comment: "YAML reads ' #' as the start of a comment; the expression needs quotes",
};

/** True of a text that is one document in which no name stands twice. */
const isOne = (text: string): boolean => {
  const document = onlyDocument(text);
  return document !== undefined && toValue(document).errors.length === 0;
};

/** Where the line stands that ends the first document. */
const secondDocument = (text: string): number =>
  Math.max(0, text.startsWith('---') ? text.slice(3).search(/^(---|\.\.\.)/m) + 3 : text.search(/^(---|\.\.\.)/m));

/** The built-in parser decides what is JSON; its message may name a position. */
function jsonError(text: string): { message: string; offset: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = (error as Error).message;
    const position = /at position (\d+)/.exec(message)?.[1];
    return {
      message: message.replace(/ at position \d+.*$/s, '').replace(/,? ?"?\.\.\..*is not valid JSON$/s, ' is not valid JSON'),
      offset: position === undefined ? Math.max(0, text.length - 1) : Number(position),
    };
  }
}
