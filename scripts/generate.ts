/** Writes the pages of docs/, and the parts of others that are written between two comments, which follow from code: `npm run generate`; with `--check`, fails where one differs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { documents } from '../cli/json/documents.ts';
import { pipelineJsonSchema } from '../pipelines/file/json-schema.ts';
import { steps } from '../pipelines/steps/table.ts';
import { csvOptions, excelOptions } from '../pipelines/steps/source.ts';
import { assumptionsPage } from './pages/assumptions.ts';
import { commandsPage } from './pages/commands.ts';
import { between } from './pages/between.ts';
import { fieldsTable } from './pages/fields.ts';
import { withFolders } from './pages/folders.ts';
import { configurationPage } from './pages/configuration.ts';
import { documentsTable } from './pages/documents.ts';
import { coveragePage } from './pages/coverage.ts';
import { errorsPage } from './pages/errors.ts';
import { operationsPage } from './pages/operations.ts';
import { homePage, withNav } from './pages/home.ts';
import { stepsPage } from './pages/steps.ts';
import { root } from './sources.mjs';
import { allProofs } from './spec/proofs.ts';
import { allStatements, statementsFile } from './spec/texts.ts';

/** A schema for each document that a command writes with `--json`. */
const schemas = Object.fromEntries(
  Object.entries(documents).map(([name, { schema }]) => [
    `docs/json/${name}.schema.json`,
    () => `${JSON.stringify(z.toJSONSchema(schema), null, 2)}\n`,
  ]),
);

const { proofs, problems } = allProofs(allStatements());

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/steps.md': () => stepsPage(steps),
  'docs/pipeline.schema.json': () => `${JSON.stringify(pipelineJsonSchema(steps), null, 2)}\n`,
  'docs/operations.md': operationsPage,
  'docs/assumptions.md': assumptionsPage,
  'docs/commands.md': commandsPage,
  'docs/configuration.md': configurationPage,
  'docs/errors.md': errorsPage,
  'docs/README.md': homePage,
  'docs/spec/statements.tsv': statementsFile,
  'docs/api-coverage.md': () => coveragePage(proofs),
  ...schemas,
  'docs/chaos.md': () =>
    ['cli/demo/chaos/by-hand.ts', 'cli/demo/chaos/agents.yaml'].reduce(
      (page, file) => between(page, file, fenced(file)),
      readFileSync(join(root, 'docs/chaos.md'), 'utf8'),
    ),
  'docs/files.md': () =>
    Object.entries({ csvOptions, excelOptions }).reduce(
      (page, [name, options]) => between(page, `${name} of pipelines/steps/source.ts`, fieldsTable(options, 'output')),
      readFileSync(join(root, 'docs/files.md'), 'utf8'),
    ),
  'docs/json.md': () => between(readFileSync(join(root, 'docs/json.md'), 'utf8'), 'documents of cli/json/documents.ts', documentsTable()),
  'ARCHITECTURE.md': () => withFolders(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')),
  'README.md': () => withNav(readFileSync(join(root, 'README.md'), 'utf8')),
};

const check = process.argv.includes('--check');
const different: string[] = [];
for (const [file, page] of Object.entries(pages)) {
  const text = await page();
  if (text === read(join(root, file))) continue;
  different.push(file);
  if (!check) writeFileSync(join(root, file), text);
}

if (check && different.length > 0) {
  console.error(`${different.join(', ')}: not what the code says; run \`npm run generate\``);
  process.exitCode = 1;
} else
  console.log(different.length > 0 ? `written: ${different.join(', ')}` : `${Object.keys(pages).length} generated pages are up to date`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** A file of the sources as a block of a page. */
function fenced(file: string): string {
  return `\`\`\`${file.slice(file.lastIndexOf('.') + 1)}\n${readFileSync(join(root, file), 'utf8')}\`\`\`\n`;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
