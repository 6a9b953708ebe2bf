import { stripTypeScriptTypes } from 'node:module';

export type ModuleImport = {
  specifier: string;
  /** By `import()`, which loads the file when it is reached, not before. */
  dynamic: boolean;
  /** Of types alone: nothing of it is left when they are erased. */
  type: boolean;
  line: number;
};

/** Alternatives in this order: what may hide an import (comments, templates), then the imports, then other strings. */
const token =
  /\/\/[^\n]*|\/\*[^]*?\*\/|`(?:\\[^]|[^\\`])*`|\bimport\s*\(\s*(["'])(?<dynamic>[^"'\n]+)\1|(?<=^|[;}\n])\s*(?:import|export)\b(?:[\w\s{},*$]*?\bfrom)?\s*(["'])(?<fixed>[^"'\n]+)\3|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** Imports of a TypeScript module in their order, and whether it reads `process.env`. */
export const readModule = (source: string): { imports: ModuleImport[]; env: number | undefined } => {
  // Erasing puts blanks in place of types, so lines stay where they were.
  const { imports: values, rest } = scan(stripTypeScriptTypes(source));
  const imports = scan(source).imports.map((found) => ({
    ...found,
    type: !values.some(({ line, specifier }) => line === found.line && specifier === found.specifier),
  }));
  const env = rest.search(/\bprocess\s*\.\s*env\b/);
  return { imports, env: env === -1 ? undefined : lineAt(rest, env) };
};

/** The imports of a text, and the text with them, its strings and its comments left blank. */
const scan = (code: string) => {
  const imports: Omit<ModuleImport, 'type'>[] = [];
  let rest = '';
  let end = 0;
  for (const match of code.matchAll(token)) {
    rest += code.slice(end, match.index) + match[0].replace(/[^\n]/g, ' ');
    end = match.index + match[0].length;
    const { fixed, dynamic } = match.groups!;
    const specifier = fixed ?? dynamic;
    if (specifier) imports.push({ specifier, dynamic: dynamic !== undefined, line: lineAt(code, end) });
  }
  return { imports, rest: rest + code.slice(end) };
};

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
