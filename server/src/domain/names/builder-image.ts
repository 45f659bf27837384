/** The image that an organization's builder runs (images/recipes/builder), made by set-up on each machine. */
export const builderImage = 'berth/builder:1';
