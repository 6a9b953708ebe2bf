/** Longest unique id of a row, in Unicode code points: the rule of public clients, where the text is silent (assumption `id-length`). */
export const longestId = 36;

/** The id column that the service fills where a dataset has no `unique_id_field` of its own. */
export const automaticIdField = 'id_';
