/** The code of a page, fetched when it is first asked for. */

/** The code cannot be had: Berth does not answer, or serves a version that no longer has it. */
export class MissingCode extends Error {
  constructor(cause: unknown) {
    super('The program of this page could not be fetched.', { cause });
  }
}

/** The router reloads by itself on a browser's own error, which offline would lose the whole dashboard. */
export const loadPage =
  <M>(load: () => Promise<M>): (() => Promise<M>) =>
  () =>
    load().catch((cause: unknown) => {
      throw new MissingCode(cause);
    });
