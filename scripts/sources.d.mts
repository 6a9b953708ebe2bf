export const root: string;
export const builtFolders: readonly string[];
export function sourceFiles(): string[];
export function copiedFiles(): string[];
export function hashSources(): string;
export function distState(): 'fresh' | 'stale' | 'missing';
export function wrongNode(version?: string): string | undefined;
