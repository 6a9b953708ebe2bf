import type { Mutant } from './mutant.ts';

const rows = { test: 'test/system/loop-rows.test.ts' } as const;
const rerun = { test: 'test/system/loop-rows-rerun.test.ts' } as const;
const turns = { file: 'activities/rows/turns.ts' } as const;
const ends = { file: 'activities/rows/row-ends.ts' } as const;
const recorded = { file: 'activities/rows/record-rows.ts' } as const;
const turn = { file: 'activities/rows/turn.ts' } as const;
const takeOver = { file: 'activities/rows/take-over.ts' } as const;
const table = { file: 'store/loop-rows.ts', test: 'test/store/loop-rows.test.ts' } as const;
const exact = { file: 'child/inside/rows/exact-json.ts', test: 'test/child/list-rows.test.ts' } as const;
const listed = { file: 'child/inside/rows/list-rows.ts', test: 'test/child/list-rows.test.ts' } as const;

/** Loops over the rows of a table. */
export const loopRows: readonly Mutant[] = [
  {
    ...turns,
    ...rows,
    find: 'rows.flatMap((_, at) => (ended.has(at) ? [] : [at])),',
    replace: 'rows.map((_, at) => at),',
    rule: 'a row that has ended is not begun again after a kill',
    title: 'loses no row',
  },
  {
    ...ends,
    ...rows,
    find: 'if (isUnknown || failed > tolerated) tooMany ??=',
    replace: 'if (isUnknown) tooMany ??=',
    rule: 'the first failure beyond what is tolerated ends the loop before the rows behind it',
    title: 'ends the loop',
  },
  {
    ...ends,
    ...rows,
    find: 'if (isUnknown || failed > tolerated) tooMany ??=',
    replace: 'if (failed > tolerated) tooMany ??=',
    rule: 'a row of which nobody knows what was done is tolerated by no file',
    test: rerun.test,
    title: 'asked of a person',
  },
  {
    ...recorded,
    ...rows,
    find: "  const open = rows.filter((_, at) => !ended.has(at) && intents.state(String(at)).is === 'open');",
    replace: '  const open: ListedRow[] = [];',
    rule: 'the ledger has every row that was begun',
    title: 'begins no further row',
  },
  {
    ...turn,
    ...rows,
    find: 'if (context.signal.aborted || failed.comesBack || (failed.mayPass && mayPass(planned.timeouts))) throw error;',
    replace: 'if (context.signal.aborted || failed.comesBack) throw error;',
    rule: 'what may pass is tried again',
    title: 'steps are done for each row',
  },
  {
    ...turn,
    ...rerun,
    find: "  if (before.is === 'done') return before.result as Json;\n",
    replace: '',
    rule: 'what a step of a row has done is not done again',
    title: 'nor what the steps of one that failed have done',
  },
  {
    ...takeOver,
    ...rerun,
    find: 'if (acts) throw otherRow(row, known.run);',
    replace: '',
    rule: 'a row with another content is refused where a repeat would be a second effect',
    title: 'rows that were added since',
  },
  {
    ...takeOver,
    ...rerun,
    find: "else if (verdict === 'keep' && (same || isUnclearRow(was)))",
    replace: "else if (verdict === 'keep')",
    rule: 'a row is not done where its steps are others now',
    title: 'a corrected expression',
  },
  {
    ...takeOver,
    ...rerun,
    find: 'await passed.put(value.key, value)',
    replace: 'void 0',
    rule: 'rows that were passed over are known when their names come',
    title: 'in another order',
  },
  {
    file: 'store/passed-rows.ts',
    find: 'if (ends.at(-1)! - written >= mostHeld) await flush();',
    replace: '',
    rule: 'rows that were passed over are not held in memory',
    test: 'test/store/passed-rows.test.ts',
    title: 'not held in memory',
  },
  {
    ...table,
    find: "try_cast(json_extract_string(row, ${memberOf(name)}) as bigint) is null then 'DOUBLE'",
    replace: "false then 'DOUBLE'",
    rule: 'an output beyond 64 bits is a number of the table',
    title: 'integer of 64 bits',
  },
  {
    file: 'text/sql.ts',
    find: "path.replaceAll(/[*?[]/g, '[$&]')",
    replace: 'path',
    rule: 'a folder of the run store is no pattern',
    test: table.test,
    title: 'whose name is a pattern',
  },
  {
    file: 'activities/frame/step-context.ts',
    ...rows,
    find: 'intents: () => innerIntents(intents(), `${path} `),',
    replace: 'intents,',
    rule: 'calls of rows with the same input are calls of their own',
    test: 'test/system/loop-rows-rerun.test.ts',
    title: 'the same for every row',
  },
  {
    file: 'workflows/interpreter/apply.ts',
    find: '      if (part && !step.error && !isLeft(state, block, planned.id)) return sendAgain(step, chunk!);\n',
    replace: '',
    rule: 'a chunk that was given up has not ended',
    test: 'test/workflows/reduce.test.ts',
    title: 'a pause gave up',
  },
  {
    file: 'workflows/interpreter/stopped.ts',
    ...rows,
    find: 'return state.paused !== undefined || error !== undefined;',
    replace: 'return false;',
    rule: 'a paused run begins no further row of a chunk',
    title: 'a paused run',
  },
  {
    file: 'activities/sources/list-unchanged.ts',
    ...rerun,
    find: '  refuseChanged(context, printName({ path: pattern, raw: true, list: true }), { sha256, bytes, rows: files.length });\n',
    replace: '',
    rule: 'files that came since the run began are refused',
    title: 'a loop over files',
  },
  {
    ...exact,
    find: ': Number.isSafeInteger(value);',
    replace: ': true;',
    rule: 'whole numbers that JSON has not lose no digit',
    title: 'no value becomes another',
  },
  {
    ...exact,
    find: 'digitsOf(String(value)) === digitsOf(number)',
    replace: 'true',
    rule: 'decimals lose no digit',
    title: 'decimals keep every digit',
  },
  {
    ...exact,
    find: "  if (/n/i.test(number)) return 'null';\n",
    replace: '  if (/n/i.test(number)) return number;\n',
    rule: 'numbers that are none are null in lists as well',
    title: 'in lists and structs',
  },
  {
    ...listed,
    find: 'return tooMany < 0 ? slice.rows : Math.max(1, tooMany);',
    replace: 'return slice.rows;',
    rule: 'of long rows few are made JSON at once',
    title: 'few long texts',
  },
  {
    ...listed,
    find: '  if (key !== undefined) await refuseRepeated(source, key);\n',
    replace: '',
    rule: 'two rows of one name are refused',
    title: 'no two alike',
  },
  {
    file: 'pipelines/compile/check-rows-body.ts',
    find: 'loops.has(step.in))',
    replace: 'false)',
    rule: 'what workers cannot do row by row is a finding',
    test: 'test/pipelines/loops.test.ts',
    title: 'among thousands',
  },
  {
    file: 'pipelines/own/settle.ts',
    find: 'settled && Object.hasOwn(settled, item) ? settled[item] : undefined;',
    replace: 'settled?.[item];',
    rule: 'what nobody said of a row is said of none, whatever it is called',
    test: 'test/system/loop-rows-rerun.test.ts',
    title: 'called as something of JavaScript',
  },
  {
    file: 'pipelines/source-name.ts',
    find: '  list ? `the files of ${path}` : raw ? `the file ${path}` : path;',
    replace: '  path;',
    rule: 'the files of a pattern and their rows have fingerprints of their own',
    test: 'test/system/loop-rows-rerun.test.ts',
    title: 'are two sources',
  },
];
