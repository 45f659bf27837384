import type { Step } from '../context.ts';
import { buildId } from '../release/build-id.ts';
import { makeRelease } from '../release/make-release.ts';

/** The built product becomes a release below the data folder. */
export const releaseStep: Step = {
  title: 'Release',
  async run({ product, layout }) {
    const id = buildId(product);
    return makeRelease(product, layout.releases, id)
      ? `copied this build to ${layout.releases}/${id}`
      : `${layout.releases}/${id} is there`;
  },
};
