import { Composer, type CST, type Document, type YAMLParseError } from 'yaml';
import type { Json } from '../../text/json.ts';
import { byPosition, type Finding, type Locate, type Path } from './findings.ts';
import type { FindingCode } from './finding-codes.ts';
import { createLines } from './yaml/lines.ts';
import { limits, readSyntax, tooLong } from './yaml/yaml-limits.ts';
import { quoteExpressions, type Misread } from './yaml/quote.ts';
import { placeKey, toValue, type Located } from './yaml/values.ts';

/** A text as plain JSON with the places of everything in it. `value` is undefined where it cannot be read at all. */
export type Parsed = { value: Json | undefined; findings: Finding[]; locate: Locate };

const maxSyntaxFindings = 10;

/** Where nothing is known: the start of the file. */
export const nowhere: Locate = { key: () => ({ line: 1, column: 1 }), value: () => ({ line: 1, column: 1 }) };

/** Reads a YAML or JSON text within the limits of a pipeline file. Never throws. */
export function parse(text: string, format: 'yaml' | 'json' = 'yaml'): Parsed {
  const lines = createLines(text);
  const at = (offset: number, code: FindingCode, message: string, remedy?: string): Finding => ({
    code,
    message,
    path: '',
    ...lines(offset),
    ...(remedy === undefined ? {} : { remedy }),
  });
  const nothing = (...findings: Finding[]): Parsed => ({ value: undefined, findings, locate: nowhere });

  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytes) return nothing(at(0, 'too-large', tooLong(bytes).message));
  if (text.trim() === '') return nothing(at(0, 'empty-file', 'the file is empty'));
  if (format === 'json') {
    const error = jsonError(text);
    if (error) return nothing(at(error.offset, 'syntax', error.message));
  }

  const quoted = format === 'yaml' ? quoteExpressions(text) : { text, misread: [], before: (offset: number) => offset };
  const findings = quoted.misread.map(({ offset, reason, line }) => at(offset, 'unquoted-expression', why[reason], line));
  const syntax = readSyntax(quoted.text);
  if ('excess' in syntax) return nothing(...findings, at(quoted.before(syntax.excess.offset), 'too-large', syntax.excess.message));

  const documents = compose(syntax.tokens, quoted.text.length);
  const document = documents[0]!;
  for (const problem of [...document.errors, ...document.warnings].slice(0, maxSyntaxFindings))
    findings.push(at(quoted.before(problem.pos[0]), 'syntax', sentence(problem)));
  if (documents.length > 1)
    findings.push(at(quoted.before(documents[1]!.range?.[0] ?? 0), 'syntax', 'a second document begins here; a pipeline is one document'));
  if (document.errors.length > 0) return nothing(...findings.sort(byPosition));

  const { value, places, errors } = toValue(document);
  for (const error of errors) findings.push(at(quoted.before(error.offset), error.code, error.message));
  return {
    value,
    findings: findings.sort(byPosition),
    locate: createLocate(places, quoted.text, (offset) => lines(quoted.before(offset))),
  };
}

/** A value that a module exports: the same limits, no places. */
export function fromModule(value: unknown): Parsed {
  const finding = (code: FindingCode, message: string): Parsed => ({
    value: undefined,
    findings: [{ code, message, path: '', line: 1, column: 1 }],
    locate: nowhere,
  });
  let text: string | undefined;
  try {
    // Nothing comes of an export that is undefined; the declared type leaves that out.
    text = JSON.stringify(value, plainOnly) as string | undefined;
  } catch (error) {
    return finding('not-plain', `the pipeline is not plain data: ${(error as Error).message.split('\n')[0]}`);
  }
  if (text === undefined) return finding('not-plain', 'the pipeline is not plain data');
  const parsed = parse(text, 'json');
  return { value: parsed.value, findings: parsed.findings.map((each) => ({ ...each, line: 1, column: 1 })), locate: nowhere };
}

function plainOnly(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw new TypeError(`'${key}' is a ${typeof value}`);
  return value;
}

/** The first two documents: a third says nothing more. */
function compose(tokens: CST.Token[], length: number): Document[] {
  const composer = new Composer({
    uniqueKeys: false,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'silent',
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
  });
  const documents: Document[] = [];
  for (const document of composer.compose(tokens, true, length)) {
    documents.push(document);
    if (documents.length > 1) break;
  }
  return documents;
}

const why: Record<Misread['reason'], string> = {
  flow: 'inside { } or [ ] an expression needs quotes:',
  colon: "YAML ends this value at ': '; the expression needs quotes:",
  comment: "YAML reads ' #' as the start of a comment; the expression needs quotes:",
};

const sentence = ({ message, code }: Pick<YAMLParseError, 'message' | 'code'>): string =>
  code === 'TAB_AS_INDENT' ? 'tabs cannot indent; use spaces' : message.charAt(0).toLowerCase() + message.slice(1);

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

function createLocate(
  places: ReadonlyMap<string, Located>,
  text: string,
  lines: (offset: number) => { line: number; column: number },
): Locate {
  /** The place itself, or that of the nearest parent that is there. */
  const find = (path: Path): Located | undefined => {
    for (let length = path.length; length >= 0; length--) {
      const place = places.get(placeKey(path.slice(0, length)));
      if (place) return place;
    }
    return undefined;
  };
  return {
    key: (path) => lines(find(path)?.key ?? 0),
    value: (path, offset) => {
      const place = find(path);
      if (!place) return lines(0);
      return lines(offset === undefined ? place.value : inside(place, offset, text));
    },
  };
}

/** Where a character of a scalar's value stands in the source: exact where the same text is there, else its start. */
function inside({ value, end, node }: Located, offset: number, text: string): number {
  const content = node !== null && 'value' in node && typeof node.value === 'string' ? node.value : '';
  const source = text.slice(value, end);
  const line = content.slice(content.lastIndexOf('\n', Math.max(0, offset - 1)) + 1).split('\n', 1)[0]!;
  const lineStart = content.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
  const nth = content.slice(0, lineStart).split(line).length - 1;
  let found = -1;
  for (let index = 0; index <= nth; index++) {
    const next = source.indexOf(line, found + 1);
    if (next < 0) break;
    found = next;
  }
  return found < 0 || line === '' ? value : value + found + offset - lineStart;
}
