/**
 * What becomes of a step by the class of its error.
 * - `ends`: the step fails, once.
 * - `waits`: not a failure; begun again after a pause, and the view says what is waited for.
 */
export type Meaning = { becomes: 'ends' | 'waits'; means: string; remedy: string };

/** By the name of every class in `classes.ts`; docs/errors.md is written from it. */
export const meanings: Readonly<Record<string, Meaning>> = {
  BadInput: {
    becomes: 'ends',
    means: 'The input is at fault: a file, a field, the account that a connection names.',
    remedy: 'correct the source file or the step’s input',
  },
  NotFetched: {
    becomes: 'ends',
    means: 'A place elsewhere does not give a source: its address, the rights of whoever asks, or its bytes are at fault.',
    remedy: 'do as the message says',
  },
  ServiceFailed: {
    becomes: 'ends',
    means: 'The service did what was asked, and it came to nothing.',
    remedy: 'see what the service says about it, and mend it there',
  },
  ReadingUnknown: {
    becomes: 'ends',
    means: 'The result depends on how the service fills a gap of its text (portolan docs assumptions), and that is not known.',
    remedy: 'name the reading in the connection: portolan doctor --probe finds it',
  },
  NotOffered: {
    becomes: 'ends',
    means: 'The service does not offer what the step needs.',
    remedy: 'do it another way, as the message says',
  },
  Inconclusive: {
    becomes: 'ends',
    means: 'All was sent and acknowledged, yet what the service holds cannot be shown to be right. Exit code 4.',
    remedy: 'look at the dataset, then run again: rows that are missing are added again, those that are there are not sent',
  },
  NeedsApproval: {
    becomes: 'ends',
    means: 'The step would do what cannot be taken back, and nobody approved it: nothing of it was done. Exit code 3.',
    remedy: 'approve it by a gate before the step (gate.approve), or by --accept with the name of the step',
  },
  Undecided: {
    becomes: 'ends',
    means: 'An effect may have happened, and cannot be looked up.',
    remedy:
      'see at the service whether it was done; where it was not, say so (--fate STEP=again, of an item --fate ITEM=again); where it was, say --fate ITEM=done, or leave the step out',
  },
  RunExists: {
    becomes: 'ends',
    means: 'The folder of the run is that of another run: nothing was done.',
    remedy: 'start again: the new run gets another id',
  },
  Continued: {
    becomes: 'ends',
    means: 'Another run was first to continue the run that this one was to continue: nothing was done.',
    remedy: 'wait for the run that was first, and go on from that one where it has left something',
  },
  DamagedFile: {
    becomes: 'ends',
    means: 'A file of the run store is not what was written there: a fault of the disk has cut it off, or somebody has changed it.',
    remedy: 'put it back from a copy of the run store; without one, start a new run',
  },
  MarkMoved: {
    becomes: 'ends',
    means:
      'Another run, or a person, has moved the watermark that the step read from. What the step has sent is at the service; the mark stays where the other has set it.',
    remedy: 'run again: it reads from where the mark is now, and rows that are there are not sent again',
  },
  Drifted: {
    becomes: 'ends',
    means: 'What is at the service is not as its file says that it should be; the message says where. Nothing was changed.',
    remedy: 'settle the differences (pipelines/budgets.yaml), or write into the file what is meant',
  },
  ChangedMeanwhile: {
    becomes: 'ends',
    means: 'What the step was to change was changed by somebody else since it was compared: nothing of it was sent.',
    remedy: 'run again: what differs now is compared and asked about anew',
  },
  Unexplained: {
    becomes: 'ends',
    means:
      'Budgets say that more or less is spent than runs, members and rounding account for; the message says which, and by how many cents.',
    remedy:
      'look at the rows `unexplained` of the table that the step has written; name runs of others by `runs`, and the key’s user by `caller`',
  },
  BudgetSpent: {
    becomes: 'ends',
    means:
      'The budget of the service, or the limit of a member, has ended while agents worked. What has finished is kept, and a rerun goes on with the others by a further prompt.',
    remedy: 'raise it, or wait for its renewal; then go on with `portolan rerun`',
  },
  Unavailable: {
    becomes: 'waits',
    means: 'Something that the work needs is missing now: room on a disk, memory, a file of the store, a secret.',
    remedy: 'make room, or bring back what is missing: the run goes on by itself',
  },
};

/** Undefined for errors of other classes. */
export const meaningOf = (name: string): Meaning | undefined => meanings[name];

/** What to do about an answer by its status, both ends included; docs/errors.md is written from it. */
export const statusRemedies: readonly { from: number; to: number; remedy: string }[] = [
  { from: 401, to: 401, remedy: 'the service does not accept the key: check the connection’s secret (portolan doctor)' },
  { from: 403, to: 403, remedy: 'the key may not do this: use a key with the right role, or another organization in the connection' },
  { from: 404, to: 404, remedy: 'something that is named there does not exist (any more) at the service: check ids and slugs' },
  { from: 413, to: 413, remedy: 'the service found the request too large: narrow the columns' },
  { from: 500, to: 599, remedy: 'the service went on failing: look at its state (portolan doctor)' },
];

/** What to do about a status of the service. */
export const remedyOfStatus = (status: number): string | undefined =>
  statusRemedies.find(({ from, to }) => status >= from && status <= to)?.remedy;
