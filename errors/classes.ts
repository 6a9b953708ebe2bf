/**
 * Errors of a step by what they mean; the table of what becomes of each is `meanings.ts`. Errors of a call to a service stand
 * in `client/errors.ts`.
 */

/** Why an input was refused. */
export type Verdict = 'bad_input' | 'refused_expression' | 'too_large' | 'timeout' | 'crashed';

/** The input is at fault: a file, a field, the account that a connection names. */
export class BadInput extends Error {
  override readonly name: string = 'BadInput';
  readonly verdict: Verdict;
  constructor(verdict: Verdict, message: string) {
    super(message);
    this.verdict = verdict;
  }
}

/** A file of the run store is not what was written there: cut off by a fault of the disk, or changed by somebody. */
export class DamagedFile extends BadInput {
  override readonly name = 'DamagedFile';
  readonly remedy: string;
  /** `without`: what to do where no copy of it is left. */
  constructor(path: string, why: string, without = 'start a new run') {
    super('bad_input', `${path} is damaged: ${why}`);
    this.remedy = `put it back from a copy of the run store; without one, ${without}`;
  }
}

/** A place elsewhere does not give a source: its address, the rights of whoever asks, or its bytes are at fault. */
export class NotFetched extends BadInput {
  override readonly name = 'NotFetched';
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super('bad_input', message);
    this.remedy = remedy;
  }
}

/** The service did what was asked and it came to nothing: a build that failed, an answer that contradicts the request. */
export class ServiceFailed extends Error {
  override readonly name = 'ServiceFailed';
}

/** The service does not offer what the step needs. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
}

/** The result depends on how the service fills a gap of its text, and that is not known, or not what the step can do with. */
export class ReadingUnknown extends Error {
  override readonly name = 'ReadingUnknown';
}

/** All was sent and acknowledged, yet what the service holds cannot be shown to be right. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
}

/** The step would do what cannot be taken back, and neither a gate nor whoever started the run approved it: nothing of it was done. */
export class NeedsApproval extends Error {
  override readonly name = 'NeedsApproval';
  readonly unapproved: { run: string; step: string };
  constructor(message: string, unapproved: { run: string; step: string }) {
    super(message);
    this.unapproved = unapproved;
  }
}

/** An effect may have happened and cannot be looked up: only a person can say whether to send it again. */
export class Undecided extends Error {
  override readonly name = 'Undecided';
}

/** The folder of the run is that of another run. */
export class RunExists extends Error {
  override readonly name = 'RunExists';
}

/** The run that this one was to continue is continued by another one already. */
export class Continued extends Error {
  override readonly name = 'Continued';
  readonly continuedBy: string;
  constructor(run: string, by: string) {
    super(`run ${run} is continued by run ${by} already: nothing was done`);
    this.continuedBy = by;
  }
}

/** Another run, or a person, has moved the mark that this run read from: what it has sent is there, but the mark is not its to set. */
export class MarkMoved extends Error {
  override readonly name = 'MarkMoved';
}

/** What is at the service is not as its file says that it should be, and the step was to fail where it is so. */
export class Drifted extends Error {
  override readonly name = 'Drifted';
}

/** What the step was to change is not as it was when it was compared: nothing of it was sent. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/** Cents that no run, model, member or rounding accounts for. */
export class Unexplained extends Error {
  override readonly name = 'Unexplained';
}

/** The budget of the service, or the limit of a member, has ended what was under way: it goes on when there is one again. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** What may be missing on the worker's host for a while. */
export type Resource = 'disk' | 'store' | 'files' | 'memory' | 'process' | 'configuration' | 'temporal';

/** Something that the work needs is missing now, through no fault of input or service: the step waits for it and says so. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly resource: Resource;
  constructor(resource: Resource, message: string, options?: ErrorOptions) {
    super(message, options);
    this.resource = resource;
  }
}
