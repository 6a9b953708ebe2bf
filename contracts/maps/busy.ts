/** Refusals that pass: nothing has happened, and the same call may succeed later. Their words are those of public clients. */
export const locked = {
  status: 409,
  // Other refusals of that status name ids, in which any word may stand.
  body: /lock is held|is locked/i,
  says: 'the dataset is locked while a map is built or updated',
  means: 'later',
} as const;

export const notReady = {
  status: 400,
  body: /not ready/i,
  says: 'the map is being built or updated',
  means: 'later',
} as const;
