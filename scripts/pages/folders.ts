import { importRules, type ImportRule } from '../import-rules.ts';
import { between } from './between.ts';
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

/** ARCHITECTURE.md with the table of folders as the import rules have it. */
export const withFolders = (page: string): string => {
  const rows = Object.entries(importRules).map(([folder, rule]) => [
    code(`${folder}/`),
    `${rule.holds}${rule.env ? `; reads ${code('process.env')}` : ''}`,
    mayImport(rule),
  ]);
  const free = ['scripts', 'test', 'bench'].map((folder) => code(`${folder}/`)).join(', ');
  return between(
    page,
    'scripts/import-rules.ts',
    table(['folder', 'holds', 'may import'], [...rows, [free, 'building, checking, showing', 'anything']]),
  );
};
