import { stripTypeScriptTypes } from 'node:module';

export type ModuleImport = { specifier: string; dynamic: boolean; line: number };

/** Alternatives in this order: what may hide an import (comments, templates), then the imports, then other strings. */
const token =
  /\/\/[^\n]*|\/\*[^]*?\*\/|`(?:\\[^]|[^\\`])*`|\bimport\s*\(\s*(["'])(?<dynamic>[^"'\n]+)\1|(?<=^|[;}\n])\s*(?:import|export)\b(?:[\w\s{},*$]*?\bfrom)?\s*(["'])(?<fixed>[^"'\n]+)\3|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** Imports of a TypeScript module that are left when its types are erased, and whether it reads `process.env`. */
export const readModule = (source: string): { imports: ModuleImport[]; env: number | undefined } => {
  // Erasing puts blanks in place of types, so lines stay where they were.
  const code = stripTypeScriptTypes(source);
  const imports: ModuleImport[] = [];
  let rest = '';
  let end = 0;
  for (const match of code.matchAll(token)) {
    rest += code.slice(end, match.index) + match[0].replace(/[^\n]/g, ' ');
    end = match.index + match[0].length;
    const { fixed, dynamic } = match.groups!;
    const specifier = fixed ?? dynamic;
    if (specifier) imports.push({ specifier, dynamic: dynamic !== undefined, line: lineAt(code, end) });
  }
  rest += code.slice(end);
  const env = rest.search(/\bprocess\s*\.\s*env\b/);
  return { imports, env: env === -1 ? undefined : lineAt(rest, env) };
};

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
