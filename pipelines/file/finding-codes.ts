/** What a code of a finding stands for, and what to do where the finding itself names nothing better. */
type Explained = { means: string; remedy: string };

/** Every code that `validate`, `plan` and `run` give a finding in a pipeline file; docs/errors.md is written from it. */
export const findingCodes = {
  unreadable: {
    means: 'One of several files is not there, or cannot be read; the others are checked all the same.',
    remedy: 'Name a pipeline file: YAML, JSON, or a module (.mts).',
  },
  'empty-file': { means: 'The file holds nothing.', remedy: 'Begin with `name:` and `steps:`; `portolan init` writes an example.' },
  syntax: {
    means: 'The text is not YAML (or JSON).',
    remedy: 'Look at the line named, and at the one above it: indentation by spaces, quotes that end, one document.',
  },
  'unquoted-expression': {
    means: 'YAML takes a part of an expression for its own.',
    remedy: 'Take the corrected line: the expression in quotes.',
  },
  'no-expression': {
    means: 'An expression is written as another tool writes it: `{{ }}`, `${ }`, `$( )`.',
    remedy: 'Write `${{ … }}`.',
  },
  'no-braces': {
    means: 'A text is the name of a parameter or an output, and nothing puts its value in.',
    remedy: 'Write `${{ params.NAME }}` or `${{ steps.ID.OUTPUT }}`.',
  },
  'merge-key': {
    means: 'YAML 1.2 has no merge keys (`<<`).',
    remedy: 'Write the fields out, or give the whole value an anchor and refer to it by `*NAME`.',
  },
  'not-plain': {
    means: 'The value is none that JSON has: a tag, a function, an alias that contains itself.',
    remedy: 'Write texts, numbers, true and false, lists and fields only.',
  },
  'duplicate-field': { means: 'One name stands twice in the same place.', remedy: 'Keep one of the two.' },
  'number-too-large': {
    means: 'A whole number beyond ±2^53 would lose digits.',
    remedy: 'Put it into quotes: as text it stays what it is.',
  },
  'too-large': {
    means: 'The file, its plan or one of its parts is beyond a limit.',
    remedy: 'Put long texts and tables into files of their own, or split the pipeline.',
  },
  module: { means: 'The pipeline is a module that cannot be loaded.', remedy: 'Mend what the message quotes; run it by itself with node.' },
  misplaced: {
    means: 'The indentation puts a step, or a part of one, where it does not belong.',
    remedy: 'Steps stand below `steps:`, what belongs to a step below its id.',
  },
  'invalid-name': { means: 'A step, parameter or tag is named as none may be.', remedy: 'Take the letters that the message allows.' },
  'unknown-field': { means: 'No field of this name belongs here.', remedy: 'Take the suggested name, or see `portolan steps NAME`.' },
  'missing-field': { means: 'A field that is required is not there.', remedy: 'Add it; `portolan steps NAME` shows an example.' },
  'wrong-type': { means: 'The value is of another type than the field.', remedy: 'Write what the message expects.' },
  'invalid-value': { means: 'The value is of the right type, and breaks a rule of the field.', remedy: 'Write what the message asks for.' },
  cycle: { means: 'Steps wait for each other in a circle.', remedy: 'Take one reference or `needs` out of the circle that is named.' },
  'unknown-step': {
    means: 'No step type has this name.',
    remedy: 'See `portolan steps`; one of your own is made by `portolan step new NAME`.',
  },
  'no-such-pipeline': {
    means: 'A step names a pipeline file that cannot be run: it is not there, or the files run each other in a circle.',
    remedy: 'Write its path from the folder of this file: `use: ./other.yaml`.',
  },
  'in-pipeline': {
    means: 'The pipeline file that a step names has a finding of its own; the message begins with its place there.',
    remedy: 'Mend that file: `portolan validate FILE` shows its lines.',
  },
  'no-such-step': { means: 'Something refers to a step that the file does not have.', remedy: 'Take the suggested id.' },
  'no-such-output': { means: 'The step has no output of this name.', remedy: 'Take one of those that the message lists.' },
  'not-in-rows': {
    means: 'A loop over the rows of a table holds what a worker cannot do for each of a million rows.',
    remedy: 'Put it before or behind the loop, as the message says; in a loop over `items` it can stand.',
  },
  'may-be-missing': {
    means: 'An expression reads a step that may have been skipped, or whose failure is tolerated: then it has no outputs.',
    remedy: 'Give a default: `steps.?ID.OUTPUT.orValue(…)`.',
  },
  'no-such-field': {
    means: '`run`, its window, or an item of a loop has no field of this name.',
    remedy: 'Take one of those that the message lists.',
  },
  'no-such-param': { means: 'An expression names a parameter that the file does not declare.', remedy: 'Declare it under `params:`.' },
  'unknown-param': {
    means: '`--param`, or an environment of the file, names a parameter that the file does not declare.',
    remedy: 'Take the name of one that stands under `params:` in the file, or declare it there.',
  },
  'unused-default': {
    means: 'No step takes a line of `defaults`.',
    remedy: 'Take it out, or name the step that it is for: `defaults: { use: { NAME: … } }`.',
  },
  'unused-param': { means: 'Nothing in the file uses a parameter.', remedy: 'Refer to it, or take it out.' },
  'missing-param': { means: 'A parameter without default has no value.', remedy: 'Give one: `--param NAME=VALUE`.' },
  'missing-time': {
    means: 'An expression reads when the run is due, or its window, and the run is started by hand.',
    remedy: 'Give a time: `--at 2026-01-31T06:15`; or a default: `run.?window.from.orValue(…)`.',
  },
  'bad-param': { means: 'A parameter’s value is not of its type.', remedy: 'Write what the message expects.' },
  'bad-expression': {
    means: 'The text inside `${{ }}` is no expression, or cannot be computed.',
    remedy: '`portolan docs steps` lists what expressions can do.',
  },
  'not-literal': {
    means: 'The operation of `api.call` is an expression.',
    remedy: 'Write its name out: its effect decides what is allowed before the run.',
  },
  'unknown-operation': { means: 'No operation has this name.', remedy: 'Take the suggested name, or see `portolan call`.' },
  'no-connection': {
    means: 'A step reaches a service, and nothing says which.',
    remedy: '`--connection NAME`, `connection:` in the file or in portolan.config.mts.',
  },
  'no-such-connection': {
    means: 'The file names a connection that the configuration does not have.',
    remedy: 'Name one of those of portolan.config.mts, or `local`.',
  },
  'no-such-channel': {
    means: '`notify` names a channel that the configuration does not have.',
    remedy: 'Name one of those of portolan.config.mts, or add it there: `channels: { NAME: { webhook: URL, secret: NAME } }`.',
  },
  'no-service': {
    means: 'The connection that the file names lacks a service which one of its steps calls.',
    remedy: 'Name a connection that holds it, or add the service to this one in portolan.config.mts.',
  },
  'unknown-status': {
    means: '`tolerate` names a word with which no item of the step ends.',
    remedy: 'Take one of the words that the message lists.',
  },
  'needs-approval': {
    means: 'A step does what cannot be taken back, and nobody is asked.',
    remedy: 'Add a `gate.approve` that the step needs, or start the run with `--accept STEP`.',
  },
  'idle-gate': {
    means: 'Nothing waits for the decision of a gate.',
    remedy: 'Name what it approves: `approves: [STEP]`.',
  },
  'bad-source': { means: 'A source is not there, or cannot be read.', remedy: 'Look at it: `portolan preview FILE`.' },
  'no-such-file': {
    means: 'A file of the project is not there.',
    remedy: 'Paths are relative to the folder of the pipeline’s file; where only the worker’s host has it, run with `--no-check`.',
  },
  'no-such-column': {
    means: 'A step names a column that its source, or its dataset, does not have.',
    remedy: 'Take one of those that the message lists.',
  },
  'wrong-column': {
    means: 'A condition asks of a column what its type does not allow, or compares it with what it cannot hold.',
    remedy:
      '`range` is for numbers and dates, `search` for text, `category` for either; a column of numbers is compared with numbers, one of dates with dates.',
  },
  'no-vectors': {
    means: 'A search or neighbours are asked of a map that is built without vectors.',
    remedy: 'Give its `index.build` the column to `embed`.',
  },
  'repeated-id': {
    means: 'The ids of a source, or the values by which its rows are named, are missing or stand in more than one row.',
    remedy: 'Take a column whose values differ, or none: `id: { row: true }`, no `key`.',
  },
  'bad-column': {
    means: 'A column expression cannot be computed over its source.',
    remedy: '`portolan preview FILE` shows names and types of the columns.',
  },
  'bad-sql': {
    means: 'A query does what a source may not, or is no SQL.',
    remedy: 'One SELECT over the named tables; `limit` only with `order by`.',
  },
} as const satisfies Readonly<Record<string, Explained>>;

export type FindingCode = keyof typeof findingCodes;

/** A finding that says itself what to do, or what its code says. */
export const remedied = <F extends { code: FindingCode; message: string; remedy?: string; corrected?: string }>(finding: F): F =>
  finding.remedy !== undefined || finding.corrected !== undefined || finding.message.includes('did you mean')
    ? finding
    : { ...finding, remedy: findingCodes[finding.code].remedy };
