/** A place where an API text is silent or contradicts itself, with the ways in which a service may have filled it. */
export type Assumption = {
  /** What the text says there, in its own words, or that it says nothing. */
  readonly text: string;
  /** By name of the reading: what a service that took it does. The first is the guess. */
  readonly readings: Readonly<Record<string, string>>;
  /**
   * How a live service shows its reading. `read`: by reads alone. `scratch`: by writes to a dataset made for it and removed
   * again. `none`: not before it happens.
   */
  readonly probe: 'read' | 'scratch' | 'none';
  /**
   * How the code is right. `any`: under every reading alike. `found`: it asks the service first, or takes the reading from the
   * connection. `refused`: a step that meets another reading than it can do with ends and says so.
   */
  readonly handled: 'any' | 'found' | 'refused';
  /** The steps and operations to which it matters. */
  readonly matters: string;
};
