/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | JsonFields;

/** A value of JSON that has fields. */
export type JsonFields = { [field: string]: Json };

export const isFields = (value: Json | undefined): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** For `JSON.stringify`: texts that were cut in the middle of a character, which other readers of JSON refuse, end before it. */
export const wellFormed = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);
