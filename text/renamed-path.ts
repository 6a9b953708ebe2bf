/** The path of a step, such as `review[17].ask`, by names that its steps had otherwise: those of now to those of then. */
export const renamedPath = (path: string, renamed: { readonly [step: string]: string } = {}): string =>
  path.replaceAll(/(^|\.)(\w+)/g, (_, dot: string, id: string) => dot + (Object.hasOwn(renamed, id) ? renamed[id]! : id));
