/** Types of parameters. */
export const paramTypes = ['path', 'slug', 'string', 'integer', 'number', 'boolean'] as const;
export type ParamType = (typeof paramTypes)[number];
