import type { Mutant } from './mutant.ts';

const test = 'test/activities/documents-parse.test.ts';
const read = { file: 'activities/documents/read-document.ts', test } as const;
const named = { file: 'child/named-files.ts', test } as const;
const planned = { file: 'cli/start/look-at-named-files.ts', test: 'test/cli/named-files.test.ts' } as const;
const step = { file: 'activities/documents/parse.ts', test } as const;

/** Rules of the job that reads documents. */
export const documents: readonly Mutant[] = [
  {
    file: 'activities/documents/parse.ts',
    find: "copy > 0 && fate.status === 'parsed'",
    replace: "copy < 0 && fate.status === 'parsed'",
    rule: 'a copy of a document that is sent is counted as present: nothing is sent for it',
    test: 'test/activities/documents-parse.test.ts',
    title: 'two files of the same bytes are sent once',
  },
  {
    file: 'child/inside/documents/text/hidden.ts',
    find: "return isStyledAway(attribute(element, 'style') ?? '');",
    replace: 'return false;',
    rule: 'what the style of an element of HTML hides is no text of its document',
    test: 'test/service/documents.test.ts',
    title: 'what a page hides is in no chunk',
  },
  {
    file: 'child/inside/documents/text/html-blocks.ts',
    find: 'return !isHidden(node);',
    replace: 'return true;',
    rule: 'what is hidden in a cell or caption is no text of it',
    test: 'test/service/documents.test.ts',
    title: 'what a page hides is in no chunk',
  },
  {
    file: 'child/inside/documents/text/markup.ts',
    find: 'const at = hidden.lastIndexOf(element);',
    replace: 'const at = hidden.length - 1;',
    rule: 'what HTML hides in Markdown is hidden up to the end of the element that hides it',
    test: 'test/service/documents.test.ts',
    title: 'what HTML hides in Markdown',
  },
  {
    file: 'child/inside/documents/text/markup.ts',
    find: "stream.write('<p></p>');",
    replace: "stream.write('');",
    rule: 'a hidden paragraph of HTML without an end hides nothing of the Markdown behind it',
    test: 'test/service/documents.test.ts',
    title: 'what stands in Markdown behind',
  },
  {
    file: 'child/inside/documents/text/front-matter.ts',
    find: "logLevel: 'silent' });",
    replace: "logLevel: 'silent' }) ?? {};",
    rule: 'a heading between two rules is text, and no YAML',
    test: 'test/service/documents.test.ts',
    title: 'before a Markdown text stand',
  },
  {
    file: 'child/inside/documents/text/front-matter.ts',
    find: '!Array.isArray(fields) ?',
    replace: 'Array.isArray(fields) ?',
    rule: 'the YAML that stands before a Markdown text is none of it, and gives it its title',
    test: 'test/service/documents.test.ts',
    title: 'before a Markdown text stand',
  },
  {
    ...read,
    find: "if (known.is === 'parsed' || (known.is === 'failed' && own)) return { known, sent: own };",
    replace: '',
    rule: 'a document that is known is not sent',
  },
  {
    ...read,
    find: "(known.is === 'failed' || known.is === 'begun') && !again",
    replace: "known.is === 'failed' && !again",
    rule: 'what nobody knows of is not paid for twice',
  },
  { ...read, find: "known.is === 'task' ? known.task :", replace: "false ? '' :", rule: 'a task that was begun is gone on with' },
  {
    ...read,
    find: "    await memory.set(document.sha256, { is: 'new' });\n",
    replace: '',
    rule: 'a refusal is no sending: the document is sent after it',
  },
  {
    ...read,
    find: 'known.run === work.context.run.id',
    replace: 'true',
    rule: 'what an earlier run has read is not told as sent by this one',
  },
  {
    ...step,
    find: 'document.files.push(file);',
    replace: 'document.files = [file];',
    rule: 'every file has a fate, also one of known bytes',
  },
  {
    ...step,
    find: "return before?.is === 'parsed' ? { sha256: last!, known: before } : undefined;",
    replace: 'return undefined;',
    rule: 'the chunks of the last version stay while a later one cannot be read',
  },
  {
    ...named,
    find: "if (below.split(sep)[0] === '..' || isAbsolute(below))",
    replace: 'if (isAbsolute(below))',
    rule: 'a table names files of its own folder alone',
  },
  {
    ...named,
    find: 'facts?.isFile() ? { ...found, bytes: facts.size } : { ...found, unreadable: noSuchFile }',
    replace: '{ ...found, bytes: facts!.size }',
    rule: 'a row whose file is not there is one item with its reason',
  },
  {
    ...named,
    find: 'if (names.has(file.name))',
    replace: 'if (names.size > 1_000_000)',
    rule: 'a table names each file once',
  },
  {
    ...planned,
    find: 'if (because === undefined) continue;',
    replace: 'continue;',
    rule: 'plan says which files a table names that are not there',
    title: 'plan says which files',
  },
  {
    ...planned,
    find: "error.verdict === 'bad_input' ? { problems: [error.message] } : { because: error.message }",
    replace: '{ because: error.message }',
    rule: 'plan says why a table of files will be refused',
    title: 'a table that the step will refuse',
  },
  {
    ...planned,
    find: 'if (rows > most.rows) return',
    replace: 'if (rows < 0) return',
    rule: 'of a table of many rows nobody looks at every file before the run',
    title: 'of a table that is too large',
  },
  {
    ...planned,
    find: 'bytes > most.bytes ?',
    replace: 'bytes < 0 ?',
    rule: 'a table of many bytes is not listed for a line of the plan',
    title: 'of a table that is too large',
  },
  {
    ...planned,
    find: 'stat(resolvePath(file, baseDir))',
    replace: 'stat(file)',
    rule: 'files that rows of agents name are looked for from the folder of the pipeline',
    title: 'files that rows of agents name',
  },
  {
    file: 'activities/documents/chunk-rows.ts',
    test,
    find: '    ...carried,\n',
    replace: '',
    rule: 'chunks get what the row of their file says',
  },
  {
    file: 'activities/documents/known.ts',
    test,
    find: "context.mapsUrl(''), canonical(options)]",
    replace: "context.mapsUrl('')]",
    rule: 'another option is another reading',
  },
  {
    file: 'client/signed-url.ts',
    test,
    find: '/expire/i.test(refused.body)',
    replace: 'false',
    rule: 'a URL whose time is over is told apart from a refusal',
  },
];
