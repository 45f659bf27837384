/** How a source becomes an image (interface document, saveBuildType). */
export const buildTypes = [
  'auto',
  'nixpacks',
  'dockerfile',
  'heroku_buildpacks',
  'paketo_buildpacks',
  'static',
  'railpack',
] as const;
export type BuildType = (typeof buildTypes)[number];
