import { importRules, type ImportRule } from '../import-rules.ts';
import { code, table } from './markdown.ts';

const mayImport = ({ folders, never = [], types = [], packages, sandbox }: ImportRule): string => {
  const values = folders === '*' ? [`everything but ${never.join(', ')}`] : folders;
  const places = [values.join(', '), types.length > 0 ? `(${types.join(', ')})` : ''].filter(Boolean).join(' ');
  const rest = [
    packages ? `of packages ${packages.map(code).join(', ')} alone` : '',
    sandbox ? `nothing that reaches ${code('node:')} or another package` : '',
  ];
  return [places, ...rest].filter(Boolean).join('; ');
};

const begin = '<!-- Written by scripts/generate.ts from scripts/import-rules.ts: edit there, then `npm run generate`. -->\n\n';
const end = '\n<!-- end -->';

/** ARCHITECTURE.md with the table of folders as the import rules have it. Fails where the marks of its place are missing. */
export const withFolders = (page: string): string => {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('ARCHITECTURE.md has no place for the table of folders: put its two comments back');
  const rows = Object.entries(importRules).map(([folder, rule]) => [
    code(`${folder}/`),
    `${rule.holds}${rule.env ? `; reads ${code('process.env')}` : ''}`,
    mayImport(rule),
  ]);
  const free = ['scripts', 'test', 'bench'].map((folder) => code(`${folder}/`)).join(', ');
  return (
    page.slice(0, from + begin.length) +
    table(['folder', 'holds', 'may import'], [...rows, [free, 'building, checking, showing', 'anything']]) +
    page.slice(to)
  );
};
